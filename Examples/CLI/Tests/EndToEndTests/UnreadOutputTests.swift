import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// Commands whose output is not read, or cannot be written.
@Suite(.timeLimit(.minutes(5)))
struct UnreadOutputTests {
    private let authstate: Authstate
    private let provider: OpenIDProvider

    init() async throws {
        (authstate, provider) = (try Authstate(), try await OpenIDProvider())
        let service = AuthorizationService()
        let client = Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app")
        _ = try await AuthState.logIn(
            .browser(AuthorizationRequest(client, scopes: [.openID]), DirectUserAgent()),
            at: AuthState.Place(FileAuthStateStore(file: authstate.stateFile), service: service))
    }

    #if os(Linux)
        @Test("a result or an error that cannot be written is told on standard error, and is no success")
        func full() async throws {
            func run(_ words: [String]) async throws -> Program.Result {
                try await Program.run(
                    ["sh", "-c", #"exec "$@" >/dev/full"#, "sh", Authstate.path] + words + [
                        "--state", authstate.stateFile,
                    ])
            }
            let told = "authstate: The output cannot be written: No space left on device.\n"
            for options in [[], ["--json"]] {
                let result = try await run(["token"] + options)
                #expect(result.status == 75 && result.errors == told, "\(options): \(result)")
            }
            _ = try await authstate("logout", "--local")
            let failure = try await run(["token", "--json"])
            #expect(failure.status == 77, "\(failure)")
            #expect(failure.errors.hasPrefix(told + "authstate: No user is logged in"), "\(failure)")
        }
    #endif
}
