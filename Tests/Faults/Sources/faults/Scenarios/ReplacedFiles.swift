import AuthStateKit
import AuthStateTesting
import Foundation

/// The file changes under a process that holds the state, by a writer that takes no lease.
enum ReplacedFiles {
    static let scenario = Scenario(
        name: "replaced",
        claim: "a file replaced under a running process: a clear error, nothing spent in vain, nothing overwritten",
        twins: [.rereading], run: run)

    /// The content that is found in the file's place.
    private enum Change: String, CaseIterable {
        case garbage = "garbage"
        case half = "half of it"
        case empty = "nothing at all"
        case newer = "a newer format"
        case removed = "no file"
        case older = "an older copy"
        case login = "another login"

        /// The error that the process gets; nil when it goes on.
        var code: AuthStateError.Code? {
            switch self {
            case .garbage, .half, .empty: .storeCorrupt
            case .newer: .storeTooNew
            case .removed: .notLoggedIn
            case .older, .login: nil
            }
        }
    }

    private static func run(_ conditions: Conditions) async throws -> Findings {
        var findings = Findings()
        var rows: [[String]] = []
        for change in Change.allCases { rows.append(try await replace(change, conditions.without, &findings)) }
        findings.tables.append(
            table(["found in its place", "error", "requests", "reuses", "file put back", "what it says"], rows))
        return findings
    }

    private static func replace(
        _ change: Change, _ protection: Protection?, _ findings: inout Findings
    ) async throws -> [String] {
        let world = try await World(lifetime: 0.001)
        let first = try Data(contentsOf: URL(fileURLWithPath: world.file))
        let state = try await world.restore(without: protection)
        _ = try await state.freshTokens()
        let good = try Data(contentsOf: URL(fileURLWithPath: world.file))
        try await world.expire(state)
        try await apply(change, world, first: first, good: good)
        let found = FileManager.default.contents(atPath: world.file)
        let before = world.provider.statistics

        var error: AuthStateError?
        do { _ = try await state.freshTokens() } catch let failure as AuthStateError { error = failure }
        let after = world.provider.statistics
        let requests = after.refreshRequests - before.refreshRequests
        let reuses = after.refreshTokenReuses - before.refreshTokenReuses
        let name = change.rawValue
        findings.expect(error?.code == change.code, "\(name): \(error?.description ?? "a token")")
        findings.expect(reuses == 0, "\(name): a spent refresh token was sent")
        if change.code != nil {
            findings.expect(requests == 0, "\(name): \(requests) requests to the provider")
            let now = FileManager.default.contents(atPath: world.file)
            findings.expect(now == found, "\(name): the file was overwritten")
            try good.write(to: URL(fileURLWithPath: world.file))
        }
        let next = try await WorkerProcess.run(world.task)
        findings.expect(!next.tokens.isEmpty, "\(name): lost: \(next.outcome)")
        return [
            name, error?.code.rawValue ?? "none", "\(requests)", "\(reuses)", next.outcome,
            error?.description.replacing(world.file, with: "FILE") ?? "",
        ]
    }

    private static func apply(_ change: Change, _ world: World, first: Data, good: Data) async throws {
        let file = URL(fileURLWithPath: world.file)
        switch change {
        case .garbage: try Data("garbage".utf8).write(to: file)
        case .half: try good.prefix(good.count / 2).write(to: file)
        case .empty: try Data().write(to: file)
        case .newer: try Data(#"{"format":1000,"state":{}}"#.utf8).write(to: file)
        case .removed: try FileManager.default.removeItem(at: file)
        case .older: try first.write(to: file)
        case .login: try await world.logIn()
        }
    }
}
