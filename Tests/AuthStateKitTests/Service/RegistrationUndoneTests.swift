import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

struct RegistrationUndoneTests {
    private static let place =
        #""registration_client_uri":"https://op.example/r/1","registration_access_token":"SECRET-manage""#

    private func register(_ replies: [ScriptedTransport.Reply]) async throws -> (AuthStateError?, [TransportRequest]) {
        let fixture = try Fixture(replies)
        var configuration = fixture.record.client.provider
        configuration.registrationEndpoint = URL(string: "https://op.example/register")
        let request = RegistrationRequest(configuration, redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
        let error = await authError { try await fixture.service.register(request) }
        return (error, fixture.transport.requests)
    }

    @Test("a registration whose answer is refused is deleted at the provider, with the token that came along")
    func deleted() async throws {
        let (error, requests) = try await register([
            .json(#"{"client_secret":"s",\#(Self.place)}"#, status: 201), .json("", status: 204),
        ])
        #expect(error?.code == .malformedResponse && error?.message.contains("deleted again") == true)
        #expect(requests.last?.method == "DELETE" && requests.last?.url.absoluteString == "https://op.example/r/1")
        #expect(requests.last?.headers[values: "Authorization"] == ["Bearer SECRET-manage"])
        #expect(error.map { "\($0)" }?.contains("SECRET") == false)
    }

    @Test("a registration that cannot be deleted stays, and the error says so")
    func left() async throws {
        let unnamed = try await register([.json(#"{"client_secret":"s"}"#, status: 201)])
        #expect(unnamed.0?.message.contains("exists at the provider") == true && unnamed.1.count == 1)
        let refused = try await register([
            .json(#"{"client_secret":"s",\#(Self.place)}"#, status: 201), .json("{}", status: 403),
        ])
        #expect(refused.0?.message.contains("exists at the provider") == true && refused.1.count == 2)
        let plain = try await register([
            .json(
                #"{"client_secret":"s","registration_client_uri":"http://evil.example/","registration_access_token":"t"}"#,
                status: 201)
        ])
        #expect(plain.1.count == 1, "a token is sent in clear text")
    }

    @Test("a registration is not deleted when the provider refused it, or when it is valid; a page tells of none")
    func nothingToDelete() async throws {
        let refused = try await register([.json(#"{"error":"invalid_redirect_uri"}"#, status: 400)])
        #expect(refused.0?.code == .registrationRedirectURIRefused && refused.1.count == 1)
        let page = try await register([.json("<html>Sign in to the network</html>", status: 200)])
        #expect(page.0?.code == .malformedResponse && page.0?.message.contains("exists") == false)
        let good = try await register([.json(#"{"client_id":"c",\#(Self.place)}"#, status: 201)])
        #expect(good.0 == nil && good.1.count == 1)
    }
}
