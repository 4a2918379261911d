import AuthStateKit
import AuthStatePlatform
import AuthStateTesting

extension DemoStory {
    func introduceProvider() -> String { "An OpenID provider has started inside this program, at \(provider.issuer)." }

    func logIn() async throws -> String {
        let state = try await authorize()
        try expect(state.isAuthorized, "The login did not lead to an authorized state.")
        return "Logged in: a (scripted) browser visited the provider and came back, and the ID token passed all checks."
    }

    func readUserInfo() async throws -> String {
        let person = try await state.userInfo()
        try expect(person.isBound, "The claims do not belong to the user who logged in.")
        return "The access token opens the provider's user info: hello, \(person.name ?? "stranger")."
    }

    func letTokenExpire() async throws -> String {
        let state = try state
        let end = ContinuousClock.now + .seconds(2)
        while state.tokensIfFresh() != nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        try expect(state.tokensIfFresh() == nil, "The access token should have ended by now.")
        provider.update { $0.accessTokenLifetime = .seconds(3600) }
        return "The access token, valid for one second only, has expired."
    }

    func renewForManyCallers() async throws -> String {
        let state = try state
        let before = provider.statistics.refreshRequests
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await state.freshTokens().accessToken } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        let requests = provider.statistics.refreshRequests - before
        try expect(tokens.count == 1 && requests == 1, "There were \(requests) requests, \(tokens.count) tokens.")
        return "100 callers asked for a token at once: one request to the provider, one new token for all."
    }

    func goOnInNewProcess() async throws -> String {
        let child = try await ChildProgram.run(["userinfo", "--json", "--state", file])
        let subject = try? JSONValue(parsing: child.output)["sub"]?.stringValue
        try expect(
            child.status == 0 && subject == OpenIDProvider.User.ada.subject,
            "The second process ended with status \(child.status).")
        return "A second process picked the login up from its file and is logged in too."
    }

    func recoverFromRefusal() async throws -> String {
        let before = provider.statistics.refreshRequests
        provider.rejectAccessTokens()
        let response = try await state.performAction(TransportRequest(url: provider.url(of: .resource)))
        let requests = provider.statistics.refreshRequests - before
        try expect(
            response.status == 200 && requests == 1, "It answered \(response.status) after \(requests) renewals.")
        return "An API refused the token (401): it was renewed once, the request repeated, and the API accepted it."
    }

    func loseGrant() async throws -> String {
        let state = try state
        provider.revokeGrants()
        let request = TransportRequest(url: provider.url(of: .resource))
        _ = try? await state.performAction(request)
        guard let error = state.authorizationError else { throw AuthStateError.stillAuthorized }
        let before = provider.requests(at: .token).count
        _ = try? await state.performAction(request)
        try expect(
            provider.requests(at: .token).count == before, "The provider was asked again although the grant is gone.")
        return "The grant was revoked: the state is in error (\(error.code.rawValue)) and sends nothing until a login."
    }

    func logInAgain() async throws -> String {
        let state = try await authorize()
        try expect(state.isAuthorized, "The new login did not mend the state.")
        return "A new login ends the error."
    }

    func bindToKey() async throws -> String {
        let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
        var request = AuthorizationRequest(Client(configuration, id: "app"), scopes: [.openID])
        request.dpopKey = try .generate(for: configuration)
        let state = try await AuthState.logIn(.browser(request, Self.userAgent), at: .memory(service: service))
        let api = provider.url(of: .resource)
        let stolen = try await state.freshTokens().accessToken
        let thief = try await SystemTransport.shared.send(
            TransportRequest(url: api, headers: ["Authorization": "Bearer \(stolen)"]))
        let owner = try await state.performAction(TransportRequest(url: api))
        try expect(thief.status == 401 && owner.status == 200, "It answered \(owner.status), a thief \(thief.status).")
        return
            "Another login's token is bound to a key (DPoP): an API accepts it with a proof of the key, and rejects it without one."
    }

    func logInOnAnotherDevice() async throws -> String {
        let request = DeviceAuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"), scopes: [.openID])
        let state = try await AuthState.logIn(
            .device(request) { [provider] codes in
                provider.decide(userCode: codes.userCode, allow: true)
            }, at: .memory(service: service))
        try expect(state.isAuthorized, "The login on another device did not lead to an authorized state.")
        return "Without a browser: a code was shown, confirmed on another device, and the tokens arrived here."
    }

    func logOut() async throws -> String {
        let outcome = try await state.logOut(.local)
        if let failure = outcome.failures.first { throw failure }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try expect(!text.contains("Token\":\""), "There are still tokens in the file.")
        return "Logged out: the login's file has no token any more, and other processes see the logout in it."
    }
}

extension AuthStateError {
    fileprivate static let stillAuthorized = AuthStateError(
        .providerError, stage: Demo.stage, "The state should be in error after the grant was revoked.")
}
