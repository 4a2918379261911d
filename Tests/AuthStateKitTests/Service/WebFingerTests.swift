import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

struct WebFingerServiceTests {
    @Test func `an identifier leads to an allowed issuer, and on to its endpoints`() async throws {
        let transport = ScriptedPages.transport([
            ScriptedPages.webFinger: ScriptedPages.descriptor("https://op.example"),
            ScriptedPages.openID: ScriptedPages.document(),
        ])
        let service = AuthorizationService(transport: transport)
        let found = try await service.discoverConfiguration(
            identifier: "ada@example.com", allowedIssuers: ["https://op.example"])
        #expect(found.issuer?.rawValue == "https://op.example")
        #expect(transport.requests[0].headers["Accept"] == "application/jrd+json, application/json")
    }

    @Test("an issuer that is not on the list is refused by name, and gets no request")
    func notAllowed() async throws {
        let transport = ScriptedPages.transport([
            ScriptedPages.webFinger: ScriptedPages.descriptor("https://op.example/")
        ])
        let error = await authError {
            try await AuthorizationService(transport: transport).discoverConfiguration(
                identifier: "ada@example.com", allowedIssuers: ["https://op.example"])
        }
        #expect(error?.code == .issuerNotAllowed && error?.kind == .configuration && error?.stage == .discovery)
        #expect(error?.received == "https://op.example/")
        #expect(transport.requests.count == 1)
    }

    @Test(
        "no redirect is followed, and a missing document is reported",
        arguments: [
            TransportResponse(status: 302, headers: ["Location": "https://evil.example/webfinger?secret"]),
            TransportResponse(status: 404), TransportResponse(status: 401),
        ])
    func refused(_ response: TransportResponse) async throws {
        let transport = ScriptedTransport([.response(response)])
        let error = await authError {
            try await AuthorizationService(transport: transport).discoverIssuer(
                identifier: "ada@example.com", allowedIssuers: IssuerAllowList { _ in true })
        }
        #expect(error?.code == .discoveryFailed && error?.kind == .configuration)
        #expect(error?.description.contains("secret") == false)
        #expect(transport.requests.count == 1)
    }
}
