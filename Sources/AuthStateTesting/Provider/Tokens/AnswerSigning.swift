import AuthStateJOSE
import AuthStateOAuth

/// How an authorization response is signed for one client (JARM, section 2.1).
struct AnswerSigning: Sendable {
    /// `iss`, `aud` and `exp`.
    var claims: [String: JSONValue]
    /// One with a public key.
    var algorithm: SignatureAlgorithm

    /// The one parameter that the answer consists of.
    func parameters(
        _ parameters: Parameters, keys: ProviderKeys, deviations: OpenIDProvider.Deviations
    ) throws(JOSEError) -> Parameters {
        var claims = claims
        for name in parameters.names { claims[name] = parameters[name].map { .string($0) } }
        deviations.signedAuthorizationResponse?(&claims)
        var others = OpenIDProvider.Deviations()
        others.signature = deviations.authorizationResponseSignature
        let token = UnsignedIDToken(claims: claims, algorithm: algorithm)
        return ["response": try token.signed(keys: keys, deviations: others)]
    }
}

extension OpenIDProvider.Configuration {
    /// What signs authorization responses: as ID tokens are, or ES256 where those have no public key.
    var answerAlgorithm: SignatureAlgorithm {
        Set<SignatureAlgorithm>.asymmetric.contains(signingAlgorithm) ? signingAlgorithm : .es256
    }
}
