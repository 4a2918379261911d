import AuthStateJOSE
import AuthStateOAuth

extension ProviderCore {
    func logoutToken(for clientID: String, subject: String?, sessionID: String?) throws(JOSEError) -> String {
        let (issuer, algorithm, now) = state.withLock { state in
            let configuration = state.configuration
            return (state.issuer, configuration.answerAlgorithm, self.now + configuration.clockSkew.inSeconds)
        }
        let issuedAt = Int64(now.rounded(.down))
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(clientID), "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + 120)), "jti": .string(Base64URL.encode(SecureRandom.bytes(12))),
            "events": .object([LogoutToken.event: [:]]),
        ]
        claims["sub"] = subject.map { .string($0) }
        claims["sid"] = sessionID.map { .string($0) }
        var deviations = OpenIDProvider.Deviations()
        deviations.idToken = { _, header in header["typ"] = "logout+jwt" }
        return try UnsignedIDToken(claims: claims, algorithm: algorithm).signed(keys: keys, deviations: deviations)
    }
}
