import AuthStateJOSE
import AuthStateOAuth

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
