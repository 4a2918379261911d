import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct TraceTests {
        @Test("tells of each exchange in one line, and of no secret", arguments: [Provider.glewlwyd, .django])
        func login(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await authstate(authstate.loginArguments(client: "basic") + ["--trace"])
            #expect(login.status == 0)
            let lines = login.errors.split(separator: "\n").filter { $0.hasPrefix("trace: ") }
            #expect(lines.contains { $0.contains("GET ") && $0.contains("/.well-known/openid-configuration 200 ") })
            let token = try await authstate.state().record.client.provider.tokenEndpoint.absoluteString
            #expect(lines.count { $0.hasPrefix("trace: POST \(token) 200 ") && $0.hasSuffix(" ms") } == 1)
            #expect(!lines.contains { $0.contains("s3cret") })

            let request = try await authstate("request", "\(authstate.provider.issuer)/nowhere?key=hidden", "--trace")
            #expect(request.errors.contains("/nowhere?key=… ") && !request.errors.contains("hidden"))
            #expect(!(try await authstate("token")).errors.contains("trace:"))
        }

        @Test("tells every step of a login in order, and no secret", arguments: [Provider.glewlwyd, .django])
        func story(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await authstate(authstate.loginArguments(client: "basic") + ["--trace"])
            let info = try await authstate("userinfo", "--trace")
            #expect(login.status == 0 && info.status == 0)
            let lines = (login.errors + info.errors).split(separator: "\n").filter { $0.hasPrefix("trace: ") }
            let story = [
                "Knows the provider: issuer=\(authstate.provider.issuer),", "Made the authorization request: ",
                "Sends the user to the provider", "The browser came back: at=http://127.0.0.1:",
                "The answer belongs to this login", "Asks for tokens: grant_type=authorization_code, code=…, ",
                "Received tokens: ", "The ID token is right: ", "Saved the state: key=default",
                "Read the claims about the user: ",
            ]
            var rest = lines[...]
            for step in story {
                let place = rest.firstIndex { $0.hasPrefix("trace: \(step)") }
                rest = rest[(try #require(place, "\(step) in \(lines)") + 1)...]
            }
            let record = try await authstate.state().record
            let request = try #require(record.lastAuthorizationResponse?.request)
            let secrets = [
                record.accessToken, record.refreshToken, record.idToken, request.state, request.nonce,
                request.codeVerifier.rawValue, "s3cret", "alice", "Alice",
            ].compactMap { $0 }.filter { !$0.isEmpty }
            #expect(secrets.count >= 7)
            for secret in secrets { #expect(!lines.contains { $0.contains(secret) }) }
        }

        @Test func `warns of a doubtful redirect URI, and of nothing without one`() async throws {
            let authstate = try Authstate(.django)
            let arguments = [
                "login", "--issuer", authstate.provider.issuer, "--client-id", "public", "--browser-command", "false",
            ]
            let doubtful = try await authstate(arguments + ["--redirect-uri", "http://localhost:0/callback"])
            #expect(doubtful.errors.contains("warning: localhost may lead to another address"))
            #expect(!(try await authstate(arguments)).errors.contains("warning:"))
            // An unusable redirect URI gets its error alone.
            let refused = try await authstate(arguments + ["--redirect-uri", "myapp://callback"])
            #expect(refused.status == 78 && refused.errors.contains("cannot receive this redirect URI"))
            #expect(!refused.errors.contains("warning:"))
        }

        @Test func `tells of an exchange that failed`() async throws {
            let authstate = try Authstate(.django)
            let result = try await authstate(
                "login", "--issuer", "http://127.0.0.1:1", "--client-id", "x", "--browser-command", "true", "--trace")
            #expect(result.status == 69)
            #expect(
                result.errors.contains("trace: GET http://127.0.0.1:1/.well-known/openid-configuration unreachable "))
            // The advice is the error's, in the words of this program; the trace does not give it as well.
            #expect(result.errors.contains("trace: Failed: Could not connect to 127.0.0.1:1"))
            #expect(result.errors.components(separatedBy: "Check the address").count == 2)
        }
    }
}
