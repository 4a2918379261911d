import AuthStateFoundation
import AuthStateOAuth
import Testing

/// Resource indicators (RFC 8707).
struct ResourceIndicatorTests {
    private func response(_ resources: [String]) throws -> AuthorizationResponse {
        var request = try Fixtures.request()
        request.resources = resources
        return try Fixtures.response("code=c&state=\(request.state)", to: request)
    }

    private func form(_ request: TokenRequest) throws -> Parameters? {
        try request.transportRequest(authentication: .none(clientID: "client")).form
    }

    @Test func `resources are repeated parameters of the authorization request, in order`() throws {
        var request = try Fixtures.request()
        request.resources = ["https://cal.example/", "urn:example:contacts?x=1"]
        let url = try request.url().absoluteString
        #expect(url.hasSuffix("&resource=https%3A%2F%2Fcal.example%2F&resource=urn%3Aexample%3Acontacts%3Fx%3D1"))
    }

    @Test(
        "resources that are no absolute URI, or have a fragment, are refused before anything is sent",
        arguments: [
            "", "api.example", "/path", "https://", "https:///x", "https://api.example/#f", "https://a b", "urn:",
            "https://é.example",
        ])
    func malformed(_ resource: String) throws {
        var request = try Fixtures.request()
        request.resources = ["https://good.example", resource]
        let error = refusal { try request.url() }
        #expect(error?.code == .invalidArgument && error?.stage == .authorization && error?.expected != nil)
        var exchange = TokenRequest(exchanging: try response([]))
        exchange.resources = [resource]
        #expect(refusal { try form(exchange) }?.code == .invalidArgument)
    }

    @Test("the code's exchange names the login's only resource, none of several, and the one that is picked")
    func exchange() throws {
        #expect(
            try form(TokenRequest(exchanging: response(["https://a.example"])))?.values("resource")
                == ["https://a.example"])
        #expect(try form(TokenRequest(exchanging: response([])))?["resource"] == nil)
        var picked = TokenRequest(exchanging: try response(["https://a.example", "https://b.example"]))
        #expect(try form(picked)?["resource"] == nil)
        picked.resources = ["https://b.example"]
        #expect(try form(picked)?.values("resource") == ["https://b.example"])
    }
}
