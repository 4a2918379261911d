import AuthStateFoundation
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
    ///
    /// Exact: the coarse clock is milliseconds behind, so that a request signed in this very second would be one from the future.
    var now: Double { clock.now.timeIntervalSince1970 }

    init(_ configuration: OpenIDProvider.Configuration, clock: WallClock) {
        state = Lock(ProviderState(configuration: configuration, keys: keys))
        self.clock = clock
    }

    func handle(_ raw: LoopbackRequest, _ responder: LoopbackResponder) {
        // A page of another site must not reach the provider by a name of its own that leads here.
        guard Self.isLocal(raw.headers["Host"]) else {
            return responder.respond(ProviderPage.problem("This provider is for programs on this machine.").response)
        }
        let issuerPath = state.withLock { $0.configuration.issuerPath }
        let place = OpenIDProvider.Endpoint.allCases.first { $0.path(under: issuerPath) == raw.path }
        guard let endpoint = place else {
            note(OpenIDProvider.LogLine(unknown: raw.method, raw.path, at: clock.now, status: 404))
            let issuer = state.withLock { $0.issuer }
            let text =
                "There is nothing at \(raw.path.printable(200)). The endpoints are in "
                + "\(issuer)/.well-known/openid-configuration, the API is \(issuer)/api/hello.\n"
            return responder.respond(
                LoopbackResponse(status: 404, headers: ["Content-Type": "text/plain"], body: Array(text.utf8)))
        }
        let access = CrossOriginAccess(raw, to: endpoint)
        if let access, raw.method == "OPTIONS" { return responder.respond(access.preflight) }
        guard endpoint.methods.contains(raw.method) else {
            note(OpenIDProvider.LogLine(unknown: raw.method, raw.path, at: clock.now, status: 405))
            return responder.respond(
                LoopbackResponse(status: 405, headers: ["Allow": endpoint.methods.sorted().joined(separator: ", ")]))
        }
        let request = OpenIDProvider.Request(raw, at: endpoint)
        state.withLock { $0.note(request) }
        guard let fault = fault(for: request) else {
            return answer(request) { [self] response in
                note(request, raw.path, response.outcome)
                responder.respond(access?.added(to: response) ?? response)
            }
        }
        note(request, raw.path, fault.outcome)
        fault.apply(to: responder) { answer(request) }
    }

    /// Whether a host is one of this machine's own names; nil is an old client.
    static func isLocal(_ host: String?) -> Bool {
        guard let host else { return true }
        let name = URIReference("http://\(host)").host.map(String.init) ?? ""
        return ["127.0.0.1", "localhost", "[::1]", "::1"].contains(name) || name.hasSuffix(".localhost")
    }

    /// Keeps a line about a request, and tells the program.
    private func note(_ request: OpenIDProvider.Request, _ path: String, _ outcome: String) {
        // The page's own requests would fill it.
        guard request.endpoint != .home else { return }
        note(OpenIDProvider.LogLine(request, path: path, at: clock.now, outcome: outcome))
    }

    private func note(_ line: OpenIDProvider.LogLine) {
        state.withLock { state in
            state.note(line)
            return state.configuration.log
        }?(line)
    }

    /// Runs a body with the state at the provider's time.
    func withState<R: Sendable>(_ body: (inout ProviderState) -> R) -> R {
        let now = now
        return state.withLock { state in
            state.now = now + state.configuration.clockSkew.inSeconds
            return body(&state)
        }
    }

    private func fault(for request: OpenIDProvider.Request) -> OpenIDProvider.Fault? {
        let (queued, decide) = faults.withLock { $0[request.endpoint, default: FaultPlan()].next() }
        // The closure is the test's own and runs without the lock.
        if let fault = queued ?? decide?(request) { return fault }
        return state.withLock { $0.activeTroubles }.lazy.compactMap { $0.fault(for: request) }.first
    }

    /// Answers now, or after clients have been told of a logout.
    private func answer(
        _ request: OpenIDProvider.Request, then respond: @escaping @Sendable (LoopbackResponse) -> Void
    ) {
        let (response, ended) = decided(request)
        guard !ended.isEmpty else { return respond(response) }
        Task {
            await tell(of: ended)
            respond(response)
        }
    }

    private func answer(_ request: OpenIDProvider.Request) -> LoopbackResponse { decided(request).response }

    private func decided(_ request: OpenIDProvider.Request) -> (response: LoopbackResponse, ended: [EndedSession]) {
        let (decision, deviations, nonce, rotatesKeys) = withState { state in
            let decision = state.decide(request)
            let rotatesKeys = request.endpoint == .token && state.troubles.contains(where: \.rotatesKeys)
            // A client that reads the key set before its first login finds the key of its algorithm there.
            let registers = [.registration, .clientConfiguration].contains(request.endpoint)
            for client in registers ? state.configuration.clients : [] { state.prepareKeys(for: client) }
            return (decision, state.configuration.deviations, state.nonce(for: request), rotatesKeys)
        }
        if rotatesKeys { try? keys.rotate(keepsOld: true) }
        let response = response(decision, deviations, nonce)
        // Before the answer: what a client has received outlives this process.
        if request.method != .get, request.endpoint != .introspection,
            let file = state.withLock({ $0.configuration.file })
        {
            do { try keep(in: file) } catch {
                note(request, file, "not kept: \(error)")
            }
        }
        if case .loggedOut(_, let ended) = decision { return (response, ended) }
        return (response, [])
    }

    private func response(
        _ decision: ProviderDecision, _ deviations: OpenIDProvider.Deviations, _ nonce: String?
    ) -> LoopbackResponse {
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
