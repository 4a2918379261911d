import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

extension SimulatedProvider {
    /// The keys that the provider signs ID tokens with; all are made once, for they cost time and the schedule knows
    /// none of them.
    struct Signing {
        fileprivate static let keys = (0..<8).compactMap { try? SigningKey.generate(.es256, keyID: "key-\($0)") }
        /// A key that is not the provider's.
        fileprivate static let foreign = try? SigningKey.generate(.es256, keyID: "key-0")
        /// The number of the key in use.
        var number = 0
        /// The ID tokens that the provider signed.
        var issued: Set<String> = []

        var key: SigningKey { Self.keys[number % Self.keys.count] }
    }

    /// Signs with another key from now on, and publishes that one alone.
    func rotateKeys() { signing.number += 1 }

    /// The published keys (RFC 7517).
    var keySet: String {
        let key = breakage == .forgedIDTokens ? Signing.foreign?.publicKey : signing.key.publicKey
        return JSONValue.object(["keys": .array([key].compactMap { $0?.json })]).text
    }

    /// Signs the ID token of a grant; nil for a plan without ID tokens.
    func idToken(of grant: Int, nonce: String?, at now: Double) -> String? {
        guard grantKind.isOpenID, let ticket = grants[grant]?.ticket, !ticket.isMachine else { return nil }
        let issuedAt = Int64(SimulatedClock.start.timeIntervalSince1970 + now)
        let isConfused = breakage == .accountsAreConfused
        var claims: [String: JSONValue] = [
            "iss": .string(ticket.issuer), "sub": .string(isConfused ? "user" : ticket.subject),
            "aud": .string(grants[grant]?.client.map { "client-\($0)" } ?? "client"),
            "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + 7200)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        let key = breakage == .forgedIDTokens ? Signing.foreign ?? signing.key : signing.key
        guard let token = try? JSONWebToken.sign(claims: .object(claims), with: key) else { return nil }
        if breakage != .forgedIDTokens { signing.issued.insert(token) }
        return token
    }
}

extension JSONValue {
    /// The JSON text.
    var text: String { String(decoding: serialized(), as: UTF8.self) }
}
