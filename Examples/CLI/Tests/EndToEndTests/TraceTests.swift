import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    @Suite("tracing") struct TraceTests {
        @Test("tells of each exchange in one line, and of no secret", arguments: [Provider.glewlwyd, .django])
        func login(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await authstate(authstate.loginArguments(client: "basic") + ["--trace"])
            #expect(login.status == 0)
            let lines = login.errors.split(separator: "\n").filter { $0.hasPrefix("trace: ") }
            #expect(lines.contains { $0.contains("GET ") && $0.contains("/.well-known/openid-configuration 200 ") })
            let token = try await authstate.state().snapshot.configuration.tokenEndpoint.absoluteString
            #expect(lines.count { $0.hasPrefix("trace: POST \(token) 200 ") && $0.hasSuffix(" ms") } == 1)
            #expect(!lines.contains { $0.contains("s3cret") })

            let request = try await authstate("request", "\(authstate.provider.issuer)/nowhere?key=hidden", "--trace")
            #expect(request.errors.contains("/nowhere?key=… ") && !request.errors.contains("hidden"))
            #expect(!(try await authstate("token")).errors.contains("trace:"))
        }

        @Test("tells of an exchange that failed")
        func failure() async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(
                "login", "--issuer", "http://127.0.0.1:1", "--client-id", "x", "--browser-command", "true", "--trace")
            #expect(result.status == 69)
            #expect(
                result.errors.contains("trace: GET http://127.0.0.1:1/.well-known/openid-configuration unreachable "))
        }
    }
}
