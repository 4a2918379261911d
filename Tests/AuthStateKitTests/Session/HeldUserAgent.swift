import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import AuthStateUserAgent

/// A user agent that counts its trips, and holds each one until a test lets it go.
final class HeldUserAgent: ExternalUserAgent {
    /// The user's behaviour in the browser.
    enum Person: Sendable {
        /// Logs in, as `DirectUserAgent` does.
        case logsIn
        /// Closes the page.
        case closes
        /// Has no browser.
        case seesNothing
    }

    let gate: ScriptedTransport.Gate
    private let base: DirectUserAgent
    private let person: Person
    private let isDeaf: Bool
    private let trips = Lock<(urls: [URL], outcomes: [String])>(([], []))

    /// - Parameters:
    ///   - isOpen: Whether nothing is held.
    ///   - isDeaf: Whether the trip goes on when its task is cancelled.
    init(
        _ person: Person = .logsIn, base: DirectUserAgent = DirectUserAgent(), isOpen: Bool = false,
        isDeaf: Bool = false
    ) {
        (self.person, self.base, self.isDeaf) = (person, base, isDeaf)
        gate = ScriptedTransport.Gate()
        if isOpen { gate.open() }
    }

    /// The number of pages that were shown.
    var count: Int { trips.withLock { $0.urls.count } }
    /// The URLs of those pages.
    var urls: [URL] { trips.withLock { $0.urls } }
    var outcomes: [String] { trips.withLock { $0.outcomes } }

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        Session(agent: self, base: try await base.prepare(redirectURI: redirectURI, for: purpose))
    }

    private struct Session: ExternalUserAgentSession {
        let agent: HeldUserAgent
        let base: any ExternalUserAgentSession
        var redirectURI: RedirectURI { base.redirectURI }

        func present(_ url: URL) async throws -> AuthorizationCallback {
            agent.trips.withLock { $0.urls.append(url) }
            // A task of its own hears no cancellation.
            if agent.isDeaf { return try await Task { try await go(url) }.value }
            return try await go(url)
        }

        private func go(_ url: URL) async throws -> AuthorizationCallback {
            try await agent.gate.pass()
            switch agent.person {
            case .logsIn: return try await base.present(url)
            case .closes: throw AuthStateError(.cancelled, stage: .authorization, "The user closed the page.")
            case .seesNothing: throw AuthStateError(.browserUnavailable, stage: .authorization, "There is no browser.")
            }
        }

        func finish(_ outcome: UserAgentOutcome) async {
            let word =
                switch outcome {
                case .completed: "completed"
                case .failed: "failed"
                case .cancelled: "cancelled"
                }
            agent.trips.withLock { $0.outcomes.append(word) }
        }
    }
}
