import AuthStateJOSE

/// The provider's signing keys, made when they are first needed, and the old ones that it still publishes.
final class ProviderKeys: Sendable {
    private struct Keys {
        var current: [SignatureAlgorithm: SigningKey] = [:]
        var retired: [JSONWebKey] = []
        var count = 0
    }

    private let keys = Lock(Keys())

    /// Makes the key of an algorithm ready; shared secrets and `none` need none.
    func prepare(_ algorithm: SignatureAlgorithm) throws(JOSEError) {
        if isAsymmetric(algorithm) { _ = try current(algorithm) }
    }

    /// The key that signs with an algorithm.
    func current(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        if let key = keys.withLock({ $0.current[algorithm] }) { return key }
        let key = try make(algorithm)
        return keys.withLock { keys in
            if let earlier = keys.current[algorithm] { return earlier }
            keys.current[algorithm] = key
            return key
        }
    }

    /// Replaces all keys.
    func rotate(keepsOld: Bool) throws(JOSEError) {
        var replacements: [SignatureAlgorithm: SigningKey] = [:]
        for algorithm in keys.withLock({ Array($0.current.keys) }) { replacements[algorithm] = try make(algorithm) }
        keys.withLock { [replacements] keys in
            // Enough for tokens that are still valid, and a key set of a bounded size.
            keys.retired = keepsOld ? Array((keys.current.values.map(\.publicKey) + keys.retired).prefix(20)) : []
            keys.current.merge(replacements) { _, new in new }
        }
    }

    /// The keys that sign now, those that are published besides, and how many there have been: their names stay different.
    var kept: (signing: [SigningKey], retired: [JSONWebKey], count: Int) {
        keys.withLock { (Array($0.current.values), $0.retired, $0.count) }
    }

    /// Goes on with the keys of an earlier process.
    func restore(_ signing: [SigningKey], retired: [JSONWebKey], count: Int) {
        keys.withLock { keys in
            for key in signing { keys.current[key.algorithm] = key }
            keys.retired = retired
            keys.count = count
        }
    }

    /// The public keys, the current ones first.
    var published: [JSONWebKey] {
        keys.withLock { keys in
            keys.current.values.map(\.publicKey).sorted { ($0.keyID ?? "") < ($1.keyID ?? "") } + keys.retired
        }
    }

    /// The key set's members.
    var document: [String: JSONValue] { ["keys": .array(published.map(\.json))] }

    func isAsymmetric(_ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm.scheme {
        case .rsaPKCS1, .rsaPSS, .ecdsa, .ed25519: true
        case .hmac, nil: false
        }
    }

    private func make(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        let number = keys.withLock { keys in
            keys.count += 1
            return keys.count
        }
        return try SigningKey.generate(algorithm, keyID: "\(algorithm.rawValue.lowercased())-\(number)")
    }
}
