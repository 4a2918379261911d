import AuthStateFoundation
import AuthStateKit
import AuthStateTesting

extension Attack {
    /// A host that got the token by mistake, or not at all, refuses it until the state is in error.
    static let foreignRefusal: [Attack] = [
        Attack(.rejectionOrigin) { try await refuse(at: URL(string: "https://other.example/")) },
        Attack(.rejectionOrigin) { try await refuse(at: nil) },
    ]

    private static func refuse(at url: URL?) async throws {
        var fixture = try Fixture(then: Fixture.tokens(1))
        fixture.options.allowedOrigins = ["https://api.example"]
        let state = fixture.state()
        do { try await state.withFreshToken { _ in throw TokenRejected(challenges: [], url: url) } } catch {
            if state.isAuthorized { throw error }
        }
    }
}
