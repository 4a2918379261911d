import AuthStateKit
import AuthStateTesting
import Testing

/// Logins with authorization details (RFC 9396).
@Suite(.timeLimit(.minutes(5))) struct AuthorizationDetailsLoginTests {
    private static let payment = AuthorizationDetail(
        type: "payment", actions: ["initiate"], additionalMembers: ["amount": ["EUR": "12.50"]])
    private static let account = AuthorizationDetail(type: "account", identifier: "a-1")

    private func fixture(
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws -> ProviderFixture {
        try await ProviderFixture { configuration in
            configuration.authorizationDetailsTypes = ["payment", "account"]
            change(&configuration)
        }
    }

    private func request(_ fixture: ProviderFixture) -> AuthorizationRequest {
        var request = fixture.request(client: "service")
        request.authorizationDetails = [Self.payment, Self.account]
        request.client.provider.tolerances.insert(.shortSecret)
        return request
    }

    /// The way in which the request reaches the provider.
    enum Way: CaseIterable { case plain, pushed, signed, both }

    @Test("granted details are kept with the state, whichever way they were requested", arguments: Way.allCases)
    func granted(_ way: Way) async throws {
        let fixture = try await fixture()
        let credential = ClientCredential.secret("service-secret")
        var asked = request(fixture)
        asked.isPushed = [.pushed, .both].contains(way)
        asked.signingCredential = [.signed, .both].contains(way) ? credential : nil
        let state = try await fixture.logIn(asked, credential: credential)
        #expect(state.record.authorizationDetails == [Self.payment, Self.account])
        #expect(state.record.lastTokenResponse?.additionalMembers.isEmpty == true)
        let archived = try AuthStateArchive(data: AuthStateArchive(state.record).data()).record
        #expect(archived.authorizationDetails == state.record.authorizationDetails)
        #expect(archived.lastTokenResponse == state.record.lastTokenResponse)
        let request = try #require(archived.lastAuthorizationResponse?.request)
        #expect(request.authorizationDetails.last?.identifier == "a-1")
    }

    @Test("a renewal's answer without details changes none; one with details replaces them; a logout forgets them")
    func renewed() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(request(fixture), credential: .secret("service-secret"))
        fixture.provider.update { $0.deviations.tokenResponse = { $0["authorization_details"] = nil } }
        try await state.refresh()
        #expect(state.record.authorizationDetails == [Self.payment, Self.account])
        #expect(state.record.lastTokenResponse?.authorizationDetails == nil)
        fixture.provider.update {
            $0.deviations.tokenResponse = { $0["authorization_details"] = [["type": "account", "identifier": "a-2"]] }
        }
        try await state.refresh()
        #expect(state.record.authorizationDetails?.map(\.identifier) == ["a-2"])
        fixture.provider.update { $0.deviations.tokenResponse = nil }
        _ = await state.logOut(.everywhere())
        #expect(state.record.authorizationDetails == nil)
    }

    @Test(
        "a renewal picks some details, beside the default tokens; more than was granted is refused, and the grant kept")
    func narrowed() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(request(fixture), credential: .secret("service-secret"))
        let (before, wish) = (state.record, RenewalParameters(authorizationDetails: [Self.account]))
        let picked = try await state.freshTokens(wish)
        #expect(picked.accessToken != before.accessToken && wish != .none)
        #expect(picked.authorizationDetails == [Self.account])
        #expect(try await state.freshTokens().authorizationDetails == [Self.payment, Self.account])
        #expect(state.record.accessToken == before.accessToken)
        #expect(state.record.authorizationDetails == before.authorizationDetails)
        let sent = try #require(fixture.provider.requests(at: .token).last?.parameters)
        #expect(sent["authorization_details"] == [Self.account].parameter)
        let more = AuthorizationDetail(type: "account", identifier: "a-2")
        let error = await authError { try await state.freshTokens(RenewalParameters(authorizationDetails: [more])) }
        #expect(error?.code == .invalidAuthorizationDetails && error?.stage == .refresh)
        #expect(try await state.refresh().accessToken.isEmpty == false)
    }

    @Test("a client gets details in its own name too")
    func machine() async throws {
        let fixture = try await fixture()
        let state = try await AuthState.logIn(
            .clientCredentials(
                fixture.serviceClient, additionalParameters: ["authorization_details": [Self.payment].parameter]),
            at: fixture.place())
        #expect(state.record.authorizationDetails == [Self.payment])
        try await state.refresh()
        let sent = fixture.provider.requests(at: .token).map { $0.parameters["authorization_details"] }
        #expect(sent == [[Self.payment].parameter, [Self.payment].parameter])
    }

    @Test("types that the provider does not list are not sent; a refusal by the provider has its own code")
    func refused() async throws {
        let fixture = try await fixture()
        var request = request(fixture)
        request.authorizationDetails = [AuthorizationDetail(type: "other")]
        let unknown = request
        let unsent = await authError { try await fixture.logIn(unknown, credential: .secret("service-secret")) }
        #expect(unsent?.code == .invalidAuthorizationDetails && unsent?.expected == "account payment")
        #expect(fixture.provider.requestCount(.authorization) == 0)
        request.client.provider.metadata = nil
        for isPushed in [false, true] {
            request.isPushed = isPushed
            let sent = request
            let error = await authError { try await fixture.logIn(sent, credential: .secret("service-secret")) }
            #expect(error?.code == .invalidAuthorizationDetails && error?.stage == .authorization)
            #expect(error?.response?.error == "invalid_authorization_details" && error?.hint != nil)
        }
    }

    @Test("details that cannot be used are those of an answer that names none: the former ones stay")
    func malformed() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(request(fixture), credential: .secret("service-secret"))
        let before = state.record
        fixture.provider.update { $0.deviations.tokenResponse = { $0["authorization_details"] = ["type": "payment"] } }
        try await state.refresh()
        #expect(state.record.accessToken != before.accessToken && state.record.refreshToken != before.refreshToken)
        #expect(state.record.authorizationDetails == before.authorizationDetails)
    }
}
