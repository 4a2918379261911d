import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// One trip through a page outside the app.
final class RedirectSession: ExternalUserAgentSession {
    private struct Flow {
        var waiting: RedirectTable.Waiting
        var pending: PendingRedirect?
    }

    private let agent: RedirectUserAgent
    private let place: CallbackPlace
    private let purpose: UserAgentPurpose
    private let flow = Lock<Flow?>(nil)

    init(agent: RedirectUserAgent, place: CallbackPlace, purpose: UserAgentPurpose) {
        (self.agent, self.place, self.purpose) = (agent, place, purpose)
    }

    var redirectURI: RedirectURI { place.redirectURI }

    /// Presents a URL; without the request there is nothing to keep, and the flow ends with the process.
    func present(_ url: URL) async throws -> AuthorizationCallback {
        guard let state = URIReference(url.absoluteString).query.flatMap({ Parameters(decoding: $0) })?["state"] else {
            throw AuthStateError(
                .invalidArgument, stage: purpose.stage, "The URL has no state to know its answer by.",
                hint: "Present the pending authorization or logout instead of its URL.")
        }
        return try await present(url, state: state, pending: nil)
    }

    func present(_ flow: RestoredRedirect.Flow) async throws -> AuthorizationCallback {
        let expiry = if case .login(let pending) = flow { pending.expiresAt } else { agent.router.expiry }
        return try await present(
            flow.url, state: flow.state,
            pending: PendingRedirect(flow: flow, place: place, label: agent.label, expiresAt: expiry))
    }

    private func present(_ url: URL, state: String, pending: PendingRedirect?) async throws -> AuthorizationCallback {
        let page = try purpose.browserURL(url)
        let answer = SharedResult<AuthorizationCallback>()
        let waiting = RedirectTable.Waiting(state: state, place: place, purpose: purpose, answer: answer)
        let isFirst = flow.withLock { flow in
            guard flow == nil else { return false }
            flow = Flow(waiting: waiting, pending: pending)
            return true
        }
        guard isFirst else { throw purpose.presentedTwice }
        try await agent.router.add(waiting, keeping: pending)
        try Task.checkCancellation()
        guard try await agent.open(page.url) else {
            throw AuthStateError(
                .browserUnavailable, stage: purpose.stage, "The provider's page could not be opened.",
                hint: "Begin while the app is in the foreground.")
        }
        let limit = Task { [agent, purpose, redirectURI] in
            try await agent.clock.sleep(for: agent.timeout)
            answer.finish(.failure(purpose.noAnswerCame(to: redirectURI, within: agent.timeout)))
        }
        defer { limit.cancel() }
        let callback = try await answer.value()
        // Before the code is spent, so that no later process finds a flow whose code is spent.
        await end()
        return callback
    }

    func finish(_ outcome: UserAgentOutcome) async {
        await end()
        await agent.close()
    }

    private func end() async {
        let ended = flow.withLock { flow in
            defer { flow?.pending = nil }
            return flow
        }
        if let ended { await agent.router.remove(ended.waiting, keeping: ended.pending) }
    }
}
