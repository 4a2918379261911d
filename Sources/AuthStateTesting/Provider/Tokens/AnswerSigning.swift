import AuthStateJOSE
import AuthStateOAuth

/// How an authorization response is signed for one client (JARM, section 2.1).
struct AnswerSigning: Sendable {
    /// `iss`, `aud` and `exp`.
    var claims: [String: JSONValue]
    /// An algorithm with a public key.
    var algorithm: SignatureAlgorithm

    /// The single parameter of the answer.
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
    /// The algorithm that signs authorization responses: that of ID tokens, or ES256 where that has no public key.
    var answerAlgorithm: SignatureAlgorithm {
        Set<SignatureAlgorithm>.asymmetric.contains(signingAlgorithm) ? signingAlgorithm : .es256
    }
}
