import AuthStateKit
import AuthStateTesting
import Foundation

/// Answers that say nothing, come late, come in part or not at all.
enum Network {
    static let scenario = Scenario(
        name: "network",
        claim: "an answer that fails or is lost is a clear error or a delay; the grant is kept and the next try works",
        twins: [.grace], run: run)

    /// A fault that a renewal meets.
    private struct Trouble {
        var name: String
        var fault: OpenIDProvider.Fault
        var times = 1
        /// The error that the caller gets; nil when a repetition mends the fault.
        var code: AuthStateError.Code?
        /// Whether the provider rotates although the answer is lost.
        var losesAnswer = false
        /// The seconds for which the provider is left alone.
        var pause = 0
    }

    private static let troubles = [
        Trouble(name: "500", fault: .status(500), code: .serverError),
        Trouble(name: "503", fault: .status(503)),
        Trouble(name: "503, Retry-After: 1", fault: .status(503, retryAfter: 1)),
        Trouble(
            name: "503, Retry-After: 2, three times", fault: .status(503, retryAfter: 2), times: 3,
            code: .temporarilyUnavailable,
            pause: 2),
        Trouble(name: "429, Retry-After: 1", fault: .status(429, retryAfter: 1)),
        Trouble(name: "no answer", fault: .hang, code: .timedOut),
        Trouble(name: "reset before processing", fault: .resetBeforeProcessing, code: .connectionLost),
        Trouble(name: "reset after processing", fault: .reset, code: .connectionLost, losesAnswer: true),
        Trouble(name: "half a body", fault: .halfBody, code: .connectionLost, losesAnswer: true),
        Trouble(
            name: "a page instead of JSON", fault: .text("<html>", contentType: "text/html"),
            code: .temporarilyUnavailable),
        Trouble(name: "the answer 1 s late", fault: .delay(.seconds(1))),
    ]

    private static func run(_ conditions: Conditions) async throws -> Findings {
        let isGraceful = conditions.without != .grace
        var findings = Findings()
        var rows: [[String]] = []
        for trouble in troubles where isGraceful || trouble.losesAnswer {
            rows.append(try await suffer(trouble, isGraceful, &findings))
        }
        findings.tables.append(
            table(["renewal meets", "caller hears", "after s", "requests", "next process", "what it says"], rows))
        if isGraceful {
            let lost = try await run(Conditions(without: .grace))
            findings.notes += ["With a provider without grace:"] + lost.tables
        }
        return findings
    }

    private static func suffer(
        _ trouble: Trouble, _ isGraceful: Bool, _ findings: inout Findings
    ) async throws -> [String] {
        let world = try await World(lifetime: 0.001, grace: isGraceful ? 60 : 0)
        world.provider.inject(trouble.fault, at: .token, times: trouble.times)
        let state = try await world.restore()
        let start = ContinuousClock.now
        var error: AuthStateError?
        do { _ = try await state.freshTokens() } catch let failure as AuthStateError { error = failure }
        let seconds = (ContinuousClock.now - start).seconds
        let requests = world.provider.statistics.refreshRequests
        findings.expect(error?.code == trouble.code, "\(trouble.name): \(error?.description ?? "a token")")
        findings.expect(state.authorizationError == nil, "\(trouble.name): the state is in error")
        findings.expect(try await world.stored().refreshToken != nil, "\(trouble.name): the grant is gone")
        findings.expect(requests <= trouble.times + 1, "\(trouble.name): \(requests) requests")
        if trouble.pause > 0 {
            let hasty = try await WorkerProcess.run(world.task)
            findings.expect(hasty.failures.first?.retryAfter != nil, "\(trouble.name): asked again: \(hasty.outcome)")
            findings.expect(
                world.provider.statistics.refreshRequests == requests, "\(trouble.name): asked again too soon")
            try await Task.sleep(for: .seconds(trouble.pause))
        }
        let next = try await WorkerProcess.run(world.task)
        findings.expect(!next.tokens.isEmpty, "\(trouble.name): lost: \(next.failures.first?.description ?? "")")
        let said = (error ?? next.failures.first)?.description.replacing("\(world.provider.port)", with: "PORT") ?? ""
        let later = next.failures.first.map { ", then: \($0)" } ?? ""
        return [
            trouble.name, error?.code.rawValue ?? "nothing", decimal(seconds, 1), "\(requests)", next.outcome,
            said + later,
        ]
    }
}
