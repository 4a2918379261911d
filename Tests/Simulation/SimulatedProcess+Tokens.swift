import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension SimulatedProcess {
    /// Asks for tokens, and lets the oracle see what the call got.
    func deliver(_ key: AuthStateKey, _ wish: TokenWish) async throws -> String {
        let call = watch(key, wish)
        let tokens = try await holder.tokens(key, wish)
        call.got(tokens)
        return tokens.accessToken
    }

    /// Renews.
    func refresh(_ key: AuthStateKey) async throws -> String {
        let state = try await holder.state(key)
        let call = watch(key, .fresh)
        let tokens = try await state.refresh()
        call.got(tokens)
        return tokens.accessToken
    }

    /// Uses a resource, which asks the provider about the token.
    ///
    /// - Parameter refusing: Whether it refuses the first token, although the provider takes it.
    func use(_ key: AuthStateKey, refusing: Bool) async throws -> String {
        let call = watch(key, .fresh)
        var isFirst = refusing
        return try await holder.withTokens(key) { tokens in
            call.got(tokens)
            let isLive = world.provider.accepts(tokens.accessToken, at: world.scheduler.now)
            if isFirst || !isLive {
                isFirst = false
                TokenName(tokens.accessToken).map { world.pages.refuses(number, $0, isWrite: false) }
                throw TokenRejected(challenges: [#"Bearer error="invalid_token""#])
            }
            return tokens.accessToken
        }
    }

    /// Sends a request to the resource.
    func send(_ key: AuthStateKey, _ method: TransportRequest.Method = .get) async throws -> String {
        let response = try await holder.send(key, TransportRequest(method: method, url: World.resource))
        return "\(response.status)"
    }

    /// Sends a request to the resource by a client of the program's own, which takes bearer tokens from an access.
    func takeToken() async throws -> String {
        guard let access = holder as? AccessedResource, !world.plan.grants.isBound else { return "not for this" }
        var (token, status) = (try await access.token(), 0)
        for attempt in 1...2 {
            var request = TransportRequest(url: World.resource)
            request.headers["Authorization"] = "Bearer \(token)"
            let response = try await service.transport.send(request)
            status = response.status
            guard status == 401, attempt == 1 else { break }
            token = try await access.token(after: (TokenRejected(response, of: request.url), token))
        }
        return "\(status)"
    }

    /// Sends a request to the resource, for which a user may have to log in again.
    ///
    /// - Parameter isTheSame: Whether the user who logs in is the one of before.
    func send(_ key: AuthStateKey, loggingInAsTheSame isTheSame: Bool) async throws -> String {
        let (state, oracle) = (try await holder.state(key), world.oracle(key))
        let account = account(of: state)
        let login = Reauthorizing()
        defer {
            // A login meanwhile may have put another state in its place, which learns of this one from the store.
            switch login.decision {
            case let decision? where holder.shown(key) === state: oracle.reauthorized(decision, state)
            case let decision?: oracle.isInDoubt(decision)
            case nil: break
            }
        }
        let response = try await Deciding.$reauthorization.withValue(login) {
            try await state.performAction(
                TransportRequest(url: World.resource),
                reauthorize: .presenting(userAgent(key, as: isTheSame ? account : nil)) { request, _ in
                    self.world.prepare(&request, of: self.number)
                })
        }
        let json = try? JSONValue(parsing: [UInt8](response.body))
        if let subject = json?["subject"]?.stringValue { oracle.requested(number, of: account, as: subject) }
        return "\(response.status)"
    }

    /// The user whose ID token a state has, as the provider knows them; nil without one.
    private func account(of state: AuthState) -> String? {
        let record = state.record
        guard record.idToken != nil, let grant = record.grant else { return nil }
        return world.provider.grants[grant]?.ticket.subject
    }

    private func watch(_ key: AuthStateKey, _ wish: TokenWish) -> WatchedCall {
        WatchedCall(
            oracle: world.oracle(key), process: number, wish: wish, begun: world.scheduler.now,
            step: world.scheduler.steps)
    }
}

/// A call for tokens, as the oracle sees it.
struct WatchedCall {
    let oracle: Oracle
    let process: Int
    let wish: TokenWish
    /// The time and the step at which it began.
    let begun: Double
    let step: Int

    func got(_ tokens: Tokens) { oracle.delivered(tokens, to: self) }
}
