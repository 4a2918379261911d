import AuthStateKit
import AuthStateTesting
import Foundation

/// Disks that are full, read-only or broken.
enum Files {
    static let scenario = scenario(.file, "disk")
    static let packed = scenario(.sqlite, "packed-disk")

    private static func scenario(_ kind: StoreKind, _ name: String) -> Scenario {
        Scenario(
            name: name,
            claim:
                "on a full or read-only disk nothing is redeemed that could not be kept; with space again it goes on",
            twins: [.reservation, .synchronizing]
        ) { try await run($0, kind) }
    }

    /// A way in which a disk refuses.
    private enum Fault: String, CaseIterable {
        case full = "full tmpfs"
        case readOnly = "tmpfs mounted read-only"
        case noSpace = "ENOSPC from allocating and writing"
        case cannotCreate = "EROFS from creating"

        /// By the system's calls in the worker; nil when the disk itself refuses.
        var failure: SystemFailure? {
            switch self {
            case .full, .readOnly: nil
            case .noSpace: .noSpace
            case .cannotCreate: .readOnly
            }
        }
    }

    private static func run(_ conditions: Conditions, _ kind: StoreKind) async throws -> Findings {
        var findings = Findings()
        var rows: [[String]] = []
        for fault in Fault.allCases where kind == .file || fault != .cannotCreate {
            let disk = fault.failure == nil ? try SmallDisk() : nil
            if fault.failure == nil, disk == nil {
                rows.append([fault.rawValue, "not tried: mounting is not allowed here", "", "", ""])
                continue
            }
            rows.append(try await refuse(fault, disk, kind, conditions.without, &findings))
        }
        findings.tables.append(
            table(["disk", "error", "requests to the provider", "afterwards", "what it says"], rows))
        findings.notes.append(try await synchronize(kind, conditions.without, &findings))
        if conditions.without == nil { findings.notes.append(try await breakOnce(kind, &findings)) }
        return findings
    }

    private static func refuse(
        _ fault: Fault, _ disk: SmallDisk?, _ kind: StoreKind, _ protection: Protection?, _ findings: inout Findings
    ) async throws -> [String] {
        let world = try await World(lifetime: 0.001, kind: kind, place: disk?.path)
        let before = try await world.stored()
        var task = world.task
        (task.without, task.failure) = (protection, fault.failure)
        switch fault {
        case .full: try disk?.fill()
        case .readOnly: try await disk?.setWritable(false)
        case .noSpace, .cannotCreate: break
        }
        let refused = try await WorkerProcess.run(task)
        let requests = world.provider.statistics.refreshRequests
        findings.expect(
            refused.failures.first?.code == .storeUnwritable && refused.failures.first?.hint != nil,
            "\(fault.rawValue): \(refused.outcome)")
        findings.expect(requests == 0, "\(fault.rawValue): \(requests) refresh tokens were spent")
        findings.expect(try await world.stored() == before, "\(fault.rawValue): the file changed")
        try await disk?.setWritable(true)
        disk?.empty()
        let next = try await WorkerProcess.run(world.task)
        findings.expect(!next.tokens.isEmpty, "\(fault.rawValue): lost: \(next.outcome)")
        findings.expect(
            world.leftovers.isEmpty, "\(fault.rawValue): \(world.leftovers.count) temporary files were left")
        let said = refused.failures.first?.description.replacing(world.file, with: "FILE") ?? ""
        return [fault.rawValue, refused.outcome, "\(requests)", next.outcome, said]
    }

    /// Checks that saves are on the disk before anything relies on them.
    private static func synchronize(
        _ kind: StoreKind, _ protection: Protection?, _ findings: inout Findings
    ) async throws -> String {
        let world = try await World(lifetime: 0.001, kind: kind)
        var task = world.task
        (task.seconds, task.without) = (0.5, protection)
        let summary = try await WorkerProcess.run(task).summary ?? WorkerSummary()
        findings.expect(
            summary.renewals > 0 && summary.undurable == 0,
            "\(summary.undurable) saves of \(summary.renewals) renewals could be undone by a power failure")
        return "Of \(summary.renewals) renewals, \(summary.undurable) could be undone by a power failure."
    }

    /// A disk that fails once in the middle of saving, without a sign beforehand.
    private static func breakOnce(_ kind: StoreKind, _ findings: inout Findings) async throws -> String {
        // Without an ID token a renewal is saved once; with one, the refresh token is saved before it is verified.
        let world = try await World(lifetime: 0.001, kind: kind) { $0.renewalsIssueIDTokens = false }
        var task = world.task
        (task.seconds, task.failure) = (0.5, .brokenDisk)
        let result = try await WorkerProcess.run(task)
        let unsaved = result.summary?.unsaved ?? 0
        findings.expect(unsaved == 0, "EIO from fsync: the second try did not save either")
        findings.expect(result.failures.isEmpty, "EIO from fsync: \(result.outcome)")
        let next = try await WorkerProcess.run(world.task)
        findings.expect(!next.tokens.isEmpty, "EIO from fsync: lost: \(next.outcome)")
        task.seconds = 0
        let brief = try await WorkerProcess.run(task)
        let heir = try await WorkerProcess.run(world.task)
        findings.expect(!heir.tokens.isEmpty, "EIO from fsync at the end of a process: lost: \(heir.outcome)")
        return """
            EIO from fsync after the answer: saved at the second try, \(result.summary?.uses ?? 0) uses; the next process: \
            \(next.outcome). A process that ends right after it: \(brief.outcome); the next process: \(heir.outcome).
            """
    }
}
