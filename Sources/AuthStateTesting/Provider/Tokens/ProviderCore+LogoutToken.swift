import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTransport

extension ProviderCore {
    func logoutToken(for clientID: String, subject: String?, sessionID: String?) throws(JOSEError) -> String {
        let (issuer, configuration, now) = withState { ($0.issuer, $0.configuration, $0.now) }
        let issuedAt = Int64(now.rounded(.down))
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(clientID), "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + 120)), "jti": .string(Base64URL.encode(SecureRandom.bytes(12))),
            "events": .object([LogoutToken.event: [:]]),
        ]
        claims["sub"] = subject.map { .string($0) }
        claims["sid"] = sessionID.map { .string($0) }
        let algorithm = configuration.answerAlgorithm(for: configuration.client(clientID))
        return try UnsignedToken(claims: claims, algorithm: algorithm, type: "logout+jwt").signed(
            keys: keys, edit: configuration.deviations.logoutToken,
            signature: configuration.deviations.logoutTokenSignature)
    }

    /// Posts logout tokens to the clients of ended sessions (OpenID Connect Back-Channel Logout 1.0, section 2.5); each client has
    /// five seconds.
    func tell(of ended: [EndedSession]) async {
        await withTaskGroup { group in
            for session in ended {
                guard let uri = session.client.backChannelLogoutURI.flatMap({ URL(string: $0) }),
                    let token = try? logoutToken(
                        for: session.client.id, subject: session.subject, sessionID: session.sessionID)
                else { continue }
                group.addTask {
                    var request = TransportRequest(
                        method: .post, url: uri, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                        body: Data(Parameters(dictionaryLiteral: ("logout_token", token)).encoded.utf8))
                    request.timeout = .seconds(5)
                    _ = try? await SystemTransport.shared.send(request)
                }
            }
        }
    }
}
