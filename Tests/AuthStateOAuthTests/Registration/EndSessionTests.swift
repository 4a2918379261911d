import AuthStateFoundation
import AuthStateOAuth
import Testing

struct EndSessionTests {
    private func request() throws -> EndSessionRequest {
        EndSessionRequest(
            configuration: try Fixtures.configuration(), idTokenHint: "SECRET-hint", clientID: "client",
            postLogoutRedirectURI: try RedirectURI("https://app.example/bye"))
    }

    private func parameters(_ request: EndSessionRequest) throws -> Parameters {
        try #require(Parameters(decoding: try request.url().absoluteString.split(separator: "?")[1]))
    }

    @Test("hint, client, redirect URI and state are sent; the endpoint's own query is kept")
    func url() throws {
        var request = try request()
        request.configuration.endSessionEndpoint = try Fixtures.url("https://op.example/logout?tenant=a")
        request.additionalParameters = ["logout_hint": "alice"]
        let sent = try parameters(request)
        #expect(
            sent.names == ["tenant", "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint"])
        #expect(
            sent["id_token_hint"] == "SECRET-hint" && sent["client_id"] == "client" && sent["state"] == request.state)
        #expect(sent["post_logout_redirect_uri"] == "https://app.example/bye" && request.state.utf8.count == 43)
    }

    @Test func `without a redirect URI no state is sent; without an endpoint there is no URL`() throws {
        var request = try request()
        request.postLogoutRedirectURI = nil
        #expect(try parameters(request).names == ["id_token_hint", "client_id"])
        request.configuration.endSessionEndpoint = nil
        #expect(refusal { try request.url() }?.code == .endpointMissing)
    }

    @Test func `an additional parameter replaces none of the request's`() throws {
        var request = try request()
        request.additionalParameters = ["state": "x"]
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }

    @Test func `the callback must be at the redirect URI and carry the state once`() throws {
        let request = try request()
        let base = "https://app.example/bye"
        try request.validate(AuthorizationCallback(url: "\(base)?state=\(request.state)"))
        for query in [
            "", "?", "?state=", "?state=other", "?state=\(request.state)&state=\(request.state)", "?state=%zz",
        ] {
            let error = refusal { try request.validate(AuthorizationCallback(url: base + query)) }
            #expect(error?.code == .stateMismatch && error?.stage == .logout)
        }
        let elsewhere = AuthorizationCallback(url: "https://app.example/other?state=\(request.state)")
        #expect(refusal { try request.validate(elsewhere) }?.code == .callbackMismatch)
    }
}
