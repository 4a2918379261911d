import AuthStateJOSE
import AuthStateOAuth

extension Attack {
    /// Logins of another account, or of none, for Alice's request.
    static let reauthorization: [Attack] = [
        Attack(.reauthorizedAccount) { try offer(["iss": "https://op.example", "sub": "mallory"]) },
        Attack(.reauthorizedAccount) { try offer(["iss": "https://evil.example", "sub": "alice"]) },
        Attack(.reauthorizedAccount) { try offer(["iss": "https://op.example", "sub": "Alice"]) },
        Attack(.reauthorizedAccount) { try offer(["iss": "https://op.example"]) },
        Attack(.reauthorizedAccount) { try offer(nil) },
    ]

    /// The login of a user with these claims, for a request of Alice's.
    private static func offer(_ claims: JSONValue?) throws {
        try IDToken.checkAccount(
            of: claims.map(unsignedToken), isThatOf: unsignedToken(["iss": "https://op.example", "sub": "alice"]))
    }
}
