import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateSystem
import AuthStateUserAgent

/// Takes requests from the server's thread: notes them, applies faults, decides under the lock, signs outside of it.
final class ProviderCore: Sendable {
    let state: Lock<ProviderState>
    let faults = Lock<[OpenIDProvider.Endpoint: FaultPlan]>([:])
    let keys = ProviderKeys()
    private let clock: WallClock

    /// The time now, in seconds since 1970, without the provider's skew.
    var now: Double { clock.secondsSince1970 }

    init(_ configuration: OpenIDProvider.Configuration, clock: WallClock) {
        state = Lock(ProviderState(configuration: configuration))
        self.clock = clock
    }

    func handle(_ raw: LoopbackRequest, _ responder: LoopbackResponder) {
        let issuerPath = state.withLock { $0.configuration.issuerPath }
        let place = OpenIDProvider.Endpoint.allCases.first { $0.path(under: issuerPath) == raw.path }
        guard let endpoint = place else { return responder.respond(LoopbackResponse(status: 404)) }
        guard endpoint.methods.contains(raw.method) else {
            return responder.respond(
                LoopbackResponse(status: 405, headers: ["Allow": endpoint.methods.sorted().joined(separator: ", ")]))
        }
        let request = OpenIDProvider.Request(raw, at: endpoint)
        state.withLock { $0.note(request) }
        if let fault = fault(for: request) {
            fault.apply(to: responder) { answer(request) }
        } else {
            responder.respond(answer(request))
        }
    }

    func decide(userCode: String, allow: Bool) -> Bool {
        let now = clock.secondsSince1970
        return state.withLock { state in
            let now = now + state.configuration.clockSkew.inSeconds
            guard let (code, _) = state.waitingDevice(userCode: userCode, now: now) else { return false }
            state.decide(code, allowing: allow ? state.configuration.users.first : nil, now: now)
            return true
        }
    }

    func decide(loginHint: String, allow: Bool) -> Bool {
        let now = clock.secondsSince1970
        return state.withLock { state in
            let now = now + state.configuration.clockSkew.inSeconds
            let waiting = state.waitingLogins(of: loginHint, now: now)
            for (code, user) in waiting { state.decide(code, allowing: allow ? user : nil, now: now) }
            return !waiting.isEmpty
        }
    }

    func hasIssued(accessToken: String) -> Bool {
        let now = clock.secondsSince1970
        return state.withLock { state in
            guard let token = state.accessTokens[accessToken] else { return false }
            return now + state.configuration.clockSkew.inSeconds < token.expiresAt
        }
    }

    private func fault(for request: OpenIDProvider.Request) -> OpenIDProvider.Fault? {
        let (queued, decide) = faults.withLock { $0[request.endpoint, default: FaultPlan()].next() }
        // The closure is the test's own and runs without the lock.
        return queued ?? decide?(request)
    }

    private func answer(_ request: OpenIDProvider.Request) -> LoopbackResponse {
        let now = clock.secondsSince1970
        let (decision, deviations, nonce) = state.withLock { state in
            let decision = state.decide(request, now: now + state.configuration.clockSkew.inSeconds)
            return (decision, state.configuration.deviations, state.nonce(for: request))
        }
        do {
            var response = try decision.response(keys: keys, deviations: deviations)
            if let nonce { response.headers["DPoP-Nonce"] = nonce }
            return response
        } catch {
            return .oauthError("server_error", "The provider cannot sign: \(error)", status: 500)
        }
    }
}

/// The faults that are planned for one endpoint.
struct FaultPlan: Sendable {
    var queue: [OpenIDProvider.Fault] = []
    var decide: (@Sendable (OpenIDProvider.Request) -> OpenIDProvider.Fault?)?

    mutating func next() -> (OpenIDProvider.Fault?, (@Sendable (OpenIDProvider.Request) -> OpenIDProvider.Fault?)?) {
        (queue.isEmpty ? nil : queue.removeFirst(), decide)
    }
}
