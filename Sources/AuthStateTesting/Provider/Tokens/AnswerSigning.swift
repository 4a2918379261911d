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
    var answerAlgorithm: SignatureAlgorithm { answerAlgorithm(for: nil) }

    /// The algorithm that signs authorization responses and logout tokens for a client.
    func answerAlgorithm(for client: OpenIDProvider.Client?) -> SignatureAlgorithm {
        let algorithm = client?.idTokenAlgorithm ?? signingAlgorithm
        return Set<SignatureAlgorithm>.asymmetric.contains(algorithm) ? algorithm : .es256
    }

    /// The algorithms that ID tokens and userinfo can be signed with, the default first. RS256 is not one that a client has to
    /// name: where it is offered, it is the default (OpenID Connect Dynamic Client Registration, section 2).
    var offeredAlgorithms: [SignatureAlgorithm] {
        guard Set<SignatureAlgorithm>.asymmetric.contains(signingAlgorithm) else { return [signingAlgorithm] }
        return [signingAlgorithm] + [.es256, .ps256, .edDSA].filter { $0 != signingAlgorithm }
    }
}
