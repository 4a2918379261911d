import AuthStateJOSE

/// The rules that tie an ID token to the code and access token that come along (sections 3.1.3.8, 3.2.2.9 and
/// 3.3.2.11).
extension IDTokenCheck {
    static let hashes = [accessTokenHashPresent, accessTokenHash, codeHash]

    static let accessTokenHashPresent = IDTokenCheck(
        .idTokenAccessTokenHashPresent, "at_hash", "Core 3.1.3.8; 3.2.2.9"
    ) { token, expected in
        guard expected.policy.requiresAccessTokenHash, expected.accessToken != nil else { return nil }
        return token.claim("at_hash") == nil ? Failure("the access token's hash", received: nil) : nil
    }

    static let accessTokenHash = IDTokenCheck(.idTokenAccessTokenHash, "at_hash", "Core 3.1.3.8") { token, expected in
        guard let accessToken = expected.accessToken, let hash = token.claim("at_hash") else { return nil }
        return token.isLeftHash(hash, of: accessToken)
            ? nil : Failure("the access token's hash", received: "a different hash")
    }

    static let codeHash = IDTokenCheck(.idTokenCodeHash, "c_hash", "Core 3.3.2.11") { token, expected in
        guard let code = expected.code else { return nil }
        guard let hash = token.claim("c_hash") else { return Failure("the code's hash", received: nil) }
        return token.isLeftHash(hash, of: code) ? nil : Failure("the code's hash", received: "a different hash")
    }
}

extension IDToken {
    /// Whether a claim is the left half of a value's hash, by the digest of the token's algorithm (section 3.1.3.6).
    fileprivate func isLeftHash(_ claim: JSONValue, of text: String) -> Bool {
        guard let hash = claim.stringValue, let digest = try? SHA2.digest(hashFunction, of: text.utf8) else {
            return false
        }
        return ConstantTime.equals(hash, Base64URL.encode(digest.prefix(digest.count / 2)))
    }

    /// Ed25519 hashes with SHA-512 inside; a token without signature is taken as one of the default algorithm, RS256.
    private var hashFunction: SHA2.Function {
        token.header.algorithm.scheme.map { $0.hashFunction ?? .sha512 } ?? .sha256
    }
}
