import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct StatusTests {
        @Test("the end of a login is shown, and ends the command with 77 on request when it is near")
        func loginEnd() async throws {
            let folder = try TemporaryFolder()
            let endpoint = try #require(URL(string: "https://op.example/token"))
            let client = Client(
                ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: endpoint), id: "client")
            let state = AuthState(
                AuthState.Record(client), service: AuthorizationService(),
                store: FileAuthStateStore(folder: folder("authstate")))
            try await state.update(
                with: TokenResponse(
                    accessToken: "a", issuedAt: Date(), accessTokenExpirationDate: Date(timeIntervalSinceNow: 3600),
                    refreshToken: "r", additionalMembers: ["refresh_token_expires_in": 600_000]))
            func status(_ words: String...) async throws -> Program.Result {
                try await Program.run([Authstate.path, "status"] + words, environment: ["XDG_STATE_HOME": folder.path])
            }
            let plain = try await status()
            #expect(plain.status == 0 && plain.output.contains("login ends: "), "\(plain.errors)")
            #expect(try await status("--min-login-validity", "500000").status == 0)
            let near = try await status("--min-login-validity", "700000")
            #expect(near.status == 77 && near.errors.contains("'authstate login'"), "\(near.errors)")
            #expect(try await status("--min-login-validity", "soon").status == 64)
        }
    }
}
