import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

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
            let (process, world) = (agent.process, agent.process.world)
            let page = world.pages.opens(process.number, showing: process.holder.shown(agent.key))
            if await world.scheduler.park(isCancellable: true) == .cancelled {
                page?.end(.cancelled, at: world.scheduler.steps)
                throw CancellationError()
            }
            if page != nil, let fault = world.fault(at: .page, process.number) {
                world.note(0, "the user closes the page")
                world.faulted(process.number, fault)
                page?.end(.closed, at: world.scheduler.steps)
                throw AuthStateError(.userCancelled, stage: .authorization, "Simulated: the page was closed.")
            }
            page?.end(.answered, at: world.scheduler.steps)
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            func item(_ name: String) -> String? { items.first { $0.name == name }?.value }
            var ticket = Ticket(
                key: agent.key, decision: process.decisionOfLogin(agent.key),
                subject: agent.subject ?? world.provider.newSubject,
                nonce: item("nonce"), thumbprint: item("dpop_jkt"))
            ticket.issuer = World.origin(of: url)
            var asked = Set((item("scope") ?? "").split(separator: " ").map(String.init))
            if world.provider.rules.withholdsWriting { asked.remove("write") }
            let isForAccess = world.plan.holding == .resource
            if isForAccess { ticket.scopes = asked }
            let code = world.provider.note(ticket)
            world.note(0, "\(ticket.subject) consents: code-\(code)")
            let issuer = !isForAccess ? "" : "&iss=\(ticket.issuer)"
            return AuthorizationCallback(
                url: "https://client.example/callback?code=code-\(code)&state=\(item("state") ?? "")\(issuer)")
        }

        func finish(_ outcome: UserAgentOutcome) async {}
    }
}

extension SimulatedProvider {
    /// A user who has not logged in before.
    var newSubject: String { "user-\(tickets.count + 1)" }
}
