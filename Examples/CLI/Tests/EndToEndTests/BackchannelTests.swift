import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// glewlwyd lists the questions for alice; it expects the hint as JSON.
    struct BackchannelTests {
        private func start(_ authstate: Authstate, user: String = "alice", _ more: [String] = []) throws -> Program {
            let authority = authstate.provider.certificateAuthorityFile.map { ["--ca-file", $0] } ?? []
            return try authstate.start(
                [
                    "login", "--issuer", authstate.provider.issuer, "--client-id", "ciba", "--client-secret-env",
                    "CLIENT_SECRET", "--grant", "ciba", "--login-hint", #"{"username":"\#(user)"}"#, "--scope",
                    "openid profile email", "--binding-message", "W4SCT",
                ] + authority + more)
        }

        /// Has alice decide, once she is asked.
        private func decide(
            _ decision: LoginBrowser.Decision, _ authstate: Authstate, _ login: Program
        ) async throws -> Program.Result {
            try await eventually("the question") { login.errors.contains("W4SCT") ? () : nil }
            let list = try #require(URL(string: "\(authstate.provider.issuer)/ciba_user_list/"))
            try await authstate.browser.open(list, decision)
            return try await login.result()
        }

        @Test("a confirmed login renews like any other", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func life(_ provider: Provider) async throws {
            var authstate = try Authstate(provider)
            authstate.environment["USER_CODE"] = "1234"
            let login = try await decide(
                .accept, authstate, start(authstate, ["--user-code-env", "USER_CODE", "--dpop"]))
            #expect(login.status == 0 && login.output.isEmpty, "\(login)")
            #expect(login.errors.contains("Confirm it only if this is shown too: W4SCT"))
            let status = try await authstate.json("status")
            #expect(status["grant"] == "urn:openid:params:grant-type:ciba" && status["can_renew"] == true)
            #expect(try await authstate.json("userinfo")["name"] == "Alice Doe")
            let first = try await authstate.json("token")["access_token"]
            #expect(try await authstate.json("refresh")["authorized"] == true)
            #expect(try await authstate.json("token")["access_token"] != first)
        }

        @Test func `by a client that registers for it`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let login = try authstate.start([
                "login", "--issuer", authstate.provider.issuer, "--register", "--grant", "ciba", "--login-hint",
                #"{"username":"alice"}"#, "--scope", "openid profile", "--binding-message", "W4SCT",
            ])
            let result = try await decide(.accept, authstate, login)
            #expect(result.status == 0, "\(result)")
            #expect(try await authstate.json("userinfo")["name"] == "Alice Doe")
            #expect(try await authstate.json("refresh")["authorized"] == true)
        }

        @Test("a refused login")
        func refused() async throws {
            let authstate = try Authstate(.glewlwyd)
            let result = try await decide(.decline, authstate, start(authstate, ["--json"]))
            #expect(result.status == 77, "\(result)")
            #expect(try result.json()["error"]?["code"] == "accessDenied")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test func `with a wrong user code, or none in the variable, the login is refused`() async throws {
            var authstate = try Authstate(.glewlwyd)
            authstate.environment["USER_CODE"] = "0000"
            let wrong = try await start(authstate, ["--user-code-env", "USER_CODE", "--json"]).result()
            #expect(wrong.status == 77, "\(wrong)")
            #expect(try wrong.json()["error"]?["code"] == "invalidUserCode")
            #expect(wrong.output.contains("--user-code-env") && !wrong.output.contains("0000"))
            let absent = try await start(authstate, ["--user-code-env", "NO_SUCH_VARIABLE", "--json"]).result()
            #expect(absent.status == 78, "\(absent)")
            #expect(try absent.json()["error"]?["code"] == "credentialUnavailable")
        }

        @Test func `at a provider without it`() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                [
                    "login", "--issuer", authstate.provider.issuer, "--client-id", "basic", "--client-secret-env",
                    "CLIENT_SECRET", "--grant", "ciba", "--login-hint", "alice",
                ], 78, [.endpointMissing], stage: .authorization, hint: "without --grant ciba")
        }
    }
}
