import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

/// A user who consents at once, when the schedule lets them.
struct SimulatedUserAgent: ExternalUserAgent {
    let process: SimulatedProcess
    let key: AuthStateKey
    /// The user who logs in; nil is a user who never did before.
    let subject: String?

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        guard let redirectURI else {
            throw AuthStateError(.invalidRedirectURI, stage: .authorization, "A redirect URI is needed.")
        }
        return Session(agent: self, redirectURI: redirectURI)
    }

    private struct Session: ExternalUserAgentSession {
        let agent: SimulatedUserAgent
        let redirectURI: RedirectURI

        func present(_ url: URL) async throws -> AuthorizationCallback {
            let world = agent.process.world
            if await world.scheduler.park(isCancellable: true) == .cancelled { throw CancellationError() }
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            func item(_ name: String) -> String? { items.first { $0.name == name }?.value }
            let ticket = Ticket(
                key: agent.key, decision: agent.process.decisionOfLogin(agent.key),
                subject: agent.subject ?? world.provider.newSubject,
                nonce: item("nonce"), thumbprint: item("dpop_jkt"))
            let code = world.provider.note(ticket)
            world.note(0, "\(ticket.subject) consents: code-\(code)")
            return AuthorizationCallback(
                url: "https://client.example/callback?code=code-\(code)&state=\(item("state") ?? "")")
        }

        func finish(_ outcome: UserAgentOutcome) async {}
    }
}

extension SimulatedProvider {
    /// A user who has not logged in before.
    var newSubject: String { "user-\(tickets.count + 1)" }
}
