import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SimulatedProcess {
    /// Begins an action of the plan that is a call of the process.
    func perform(_ action: Action) {
        guard let state else { return world.note(number, "\(action.rawValue): not up yet") }
        let (oracle, number) = (world.oracle, number)
        begin(action.rawValue) { process in
            switch action {
            case .freshTokens: return try await process.deliver { try await state.freshTokens() }
            case .sideTokens:
                let parameters = RenewalParameters(additionalParameters: ["audience": "other"])
                return try await process.deliver { try await state.freshTokens(parameters) }
            case .refresh: return try await process.deliver { try await state.refresh() }
            case .refusedToken: return try await process.use(state, refusing: true)
            case .login: return try await process.logIn(state)
            case .authorize: return try await process.authorize()
            case .clear:
                let decision = oracle.decides(number, .logout)
                do { try await state.clear() } catch {
                    oracle.decided(decision, isStored: false)
                    throw error
                }
                oracle.decided(decision, isStored: true)
                return "done"
            case .logOut:
                let decision = oracle.decides(number, .logout)
                let outcome = await state.logOut()
                oracle.decided(decision, isStored: outcome.removal == .done)
                return outcome.removal == .done ? "done" : "not removed"
            case .revoke:
                let decision = oracle.decides(number, .logout)
                do { try await state.revoke() } catch {
                    oracle.isInDoubt(decision)
                    throw error
                }
                oracle.decided(decision, isStored: true)
                return "done"
            case .reload: try await state.reload()
            case .save: try await state.save()
            case .drain: await state.drain()
            case .needsRefresh: try await state.setNeedsTokenRefresh()
            default: break
            }
            return "done"
        }
    }

    private func deliver(_ body: () async throws -> Tokens) async throws -> String {
        let (begun, step) = (world.scheduler.now, world.scheduler.steps)
        let tokens = try await body()
        world.oracle.delivered(tokens, to: number, begun: begun, step: step)
        return tokens.accessToken
    }

    /// Uses a resource, which asks the provider about the token.
    func use(_ state: AuthState, refusing: Bool) async throws -> String {
        let (begun, step) = (world.scheduler.now, world.scheduler.steps)
        var isFirst = refusing
        return try await state.withFreshToken { tokens in
            world.oracle.delivered(tokens, to: number, begun: begun, step: step)
            let isLive = world.provider.accepts(tokens.accessToken, at: world.scheduler.now)
            if isFirst || !isLive {
                isFirst = false
                throw TokenRejected(challenges: [#"Bearer error="invalid_token""#])
            }
            return tokens.accessToken
        }
    }

    /// A login whose tokens come from outside.
    private func logIn(_ state: AuthState) async throws -> String {
        let decision = world.oracle.decides(number, .login)
        let issuedAt = world.service(number).configuration.clock.now
        _ = await world.scheduler.park()
        let (access, refresh) = world.provider.login(at: world.scheduler.now)
        world.oracle.granted(access.grant, by: decision)
        world.note(0, "the provider grants \(refresh.token)")
        let response = TokenResponse(
            accessToken: access.token, issuedAt: issuedAt,
            accessTokenExpirationDate: issuedAt.addingTimeInterval(Double(world.provider.rules.lifetime)),
            refreshToken: refresh.token)
        do { try await state.update(with: response) } catch {
            world.oracle.decided(decision, isStored: false)
            throw error
        }
        world.oracle.decided(decision, isStored: true)
        return refresh.token
    }

    /// A login by a page, whose new state takes the place of the old one.
    private func authorize() async throws -> String {
        let decision = world.oracle.decides(number, .login)
        var request = AuthorizationRequest(configuration: World.configuration, clientID: "client", scopes: [])
        request.redirectURI = try RedirectURI("https://client.example/callback")
        do {
            let made = try await AuthState.authorize(
                request, presenting: SimulatedUserAgent(world: world), service: world.service(number),
                store: StoreHandle(world: world, process: number), options: options)
            let isStored = made.current.storeError == nil
            if let grant = TokenName(made.snapshot.refreshToken)?.grant {
                world.oracle.granted(grant, by: decision)
            }
            adopt(made)
            world.oracle.decided(decision, isStored: isStored)
            return made.snapshot.refreshToken ?? "no refresh token"
        } catch {
            world.oracle.isInDoubt(decision)
            throw error
        }
    }
}

/// A person who consents at once, when the schedule lets them.
private struct SimulatedUserAgent: ExternalUserAgent {
    let world: World

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        guard let redirectURI else {
            throw AuthStateError(.invalidRedirectURI, stage: .authorization, "A redirect URI is needed.")
        }
        return Session(world: world, redirectURI: redirectURI)
    }

    private struct Session: ExternalUserAgentSession {
        let world: World
        let redirectURI: RedirectURI

        func present(_ url: URL) async throws -> AuthorizationCallback {
            if await world.scheduler.park(isCancellable: true) == .cancelled { throw CancellationError() }
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            let state = parts?.queryItems?.first { $0.name == "state" }?.value ?? ""
            return AuthorizationCallback(url: "https://client.example/callback?code=code&state=\(state)")
        }

        func finish(_ outcome: UserAgentOutcome) async {}
    }
}
