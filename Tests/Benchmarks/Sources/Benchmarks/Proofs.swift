import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import Foundation

/// The header fields of a request with a token that is bound to a key, beside the signature in them.
enum Proofs {
    static let benchmark = Benchmark(name: "dpop-proof", rounds: 9) { rounds in
        let key = try SigningKey.generate(.es256)
        let state = try boundState(DPoPKey(key.privateKey))
        let url = URL(string: "https://api.example/accounts/1234567890/items?limit=100")!
        let first = try await state.freshTokens().authorizationHeaders(method: .get, url: url)
        guard let proof = first["DPoP"], let stop = proof.lastIndex(of: ".") else {
            throw CocoaError(.coderInvalidValue)
        }
        // As many bytes as are signed in a proof.
        let message = Array(proof[..<stop].utf8)
        let bare = Contender(working: "ES256 alone") { count in
            for _ in 0..<count { _ = try key.sign(message) }
        }
        let ours = Contender(working: "authorizationHeaders(method:url:)", goal: .ratio(1.5)) { count in
            for _ in 0..<count {
                _ = try await state.freshTokens().authorizationHeaders(method: .get, url: url)
            }
        }
        let rows = try await compare([bare, ours], tasks: 1, calls: 20_000, rounds: rounds, of: .processorTime)
        return Report(rows, to: bare.name)
    }

    private static func boundState(_ key: DPoPKey) throws -> AuthState {
        var record = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!),
                id: "benchmark"))
        record.dpopKey = key
        let token = String(repeating: "2YotnFZFEjr1zCsicMWpAA", count: 40)
        record.lastTokenResponse = TokenResponse(
            accessToken: token, tokenType: "DPoP", issuedAt: Date(),
            accessTokenExpirationDate: Date().addingTimeInterval(86_400))
        return AuthState(record, service: AuthorizationService(), store: InMemoryAuthStateStore())
    }
}
