import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct SecrecyTests {
        @Test("no command tells one", arguments: Provider.all)
        func silence(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            var secrets: Set<String> = ["s3cret"]
            var said: [String] = []

            for suffix in [[], ["--json"]] {
                var results = [try await authstate(authstate.loginArguments(client: "basic") + suffix)]
                secrets.formUnion(try await self.secrets(authstate))
                for command in ["status", "userinfo", "refresh"] {
                    results.append(try await authstate([command] + suffix))
                }
                secrets.formUnion(try await self.secrets(authstate))
                #expect(results.allSatisfy { $0.status == 0 }, "\(results)")
                said += results.flatMap { [$0.output, $0.errors] }
                // Its output is the token; its messages are not.
                said.append(try await authstate(["token"] + suffix).errors)

                try await authstate.spendRefreshToken()
                let refused = try await authstate(["refresh"] + suffix)
                #expect(refused.status == 77)
                let logout = try await authstate(
                    ["logout", "--browser-command", authstate.browser.commandLine()] + suffix)
                said += [refused, logout].flatMap { [$0.output, $0.errors] }
            }
            #expect(secrets.count > 8 && said.joined().count > 500)
            for text in said { #expect(!secrets.contains { text.contains($0) }, "a secret in: \(text)") }
        }

        /// Every secret that is stored.
        private func secrets(_ authstate: Authstate) async throws -> Set<String> {
            let record = try await authstate.state().record
            let response = record.lastAuthorizationResponse
            let all = [
                record.accessToken, record.refreshToken, record.idToken, response?.code,
                response?.request.codeVerifier.rawValue,
            ]
            #expect(record.accessToken != nil && record.refreshToken != nil && record.idToken != nil)
            return Set(all.compactMap { $0 })
        }

        @Test func `the program does not load FoundationNetworking`() async throws {
            let result = try await Program.run(["ldd", Authstate.path])
            #expect(result.status == 0 && result.output.contains("libc.so"))
            #expect(!result.output.contains("FoundationNetworking"))
        }
    }
}
