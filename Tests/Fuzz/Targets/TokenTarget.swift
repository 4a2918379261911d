import AuthStateFoundation

@testable import AuthStateJOSE
@testable import AuthStateOAuth

/// Signed tokens: `r`, a compact token as it is; `p`, header, claims and signature on lines of their own, to be encoded;
/// `s`, header and claims, to be encoded and signed with the client's secret, so that the claims' checks are reached.
func fuzzToken(_ bytes: [UInt8]) {
    guard let mode = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let (header, tail) = rest.firstLineAndRest
    switch mode {
    case UInt8(ascii: "r"): check(rest.text, isSigned: nil)
    case UInt8(ascii: "p"):
        let (claims, signature) = tail.firstLineAndRest
        check([header, claims, signature].map(Base64URL.encode).joined(separator: "."), isSigned: false)
    case UInt8(ascii: "s"):
        let input = [header, tail].map(Base64URL.encode).joined(separator: ".")
        guard let signature = try? TokenWorld.signer.sign(input.utf8) else { return }
        check(input + "." + Base64URL.encode(signature), isSigned: true)
    default: return
    }
}

private func check(_ compact: String, isSigned: Bool?) {
    guard let token = accepted({ try JSONWebToken(parsing: compact) }) else { return }
    require(
        String(decoding: token.signingInput, as: UTF8.self) + "." + Base64URL.encode(token.signature) == compact,
        "a token can be written in one way only")
    requireFitForLog(token.description)
    guard let idToken = accepted({ try IDToken(parsing: compact) }) else { return }
    requireFitForLog(idToken.description)
    for expectation in TokenWorld.expectations {
        let isValid =
            accepted { try idToken.validate(keys: TokenWorld.keys, expectation: expectation) } != nil
        guard isValid else { continue }
        require(isSigned != false, "a signature that no key made")
        require(isSigned == nil || token.header.algorithm == .hs256, "another algorithm than the one that signed")
        require(idToken.issuer == "https://op.example" && idToken.audience.contains("client"), "iss and aud")
        require(idToken.subject?.isEmpty == false, "sub")
        let end = idToken.expiresAt?.timeIntervalSince(TokenWorld.now) ?? -.infinity
        require(end > -expectation.policy.leeway.inSeconds, "exp")
        require(expectation.previous != nil || idToken.nonce == expectation.nonce, "nonce")
        require(expectation.code == nil || token.claims["c_hash"] != nil, "c_hash")
        require(token.header.json["crit"] == nil, "crit")
    }
}

/// Keys, a clock, and what tokens are held to.
private enum TokenWorld {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let secret = "a secret of thirty-two bytes...."

    static let signer: SigningKey = {
        guard let key = try? SigningKey(JSONWebKey(secret: secret.utf8), algorithm: .hs256) else {
            fatalError("HS256 cannot sign")
        }
        return key
    }()

    static let keys: JSONWebKeySet = {
        let published = #"""
            {"keys":[{"kty":"RSA","kid":"rsa","e":"AQAB","n":"vyMQtw9PqbI-ev9IjRxquFMKB-jLakH4evA9XVQULQ_MMOemhCRDQ0mEoVOCddaMu0ZjpVnlKh88DmJiyu6TdZgK-4LVk-5t0nAI4JCsUTv5em2reZTpVkvybdZWyWP2P_351kjS7Aq39ZDhE32__cNth1VxjUUGFn8vT2r-MZHCQBqsxaXghRSBxazX4J1RPFjQy5oitNynEPHIXSRMkFcQ000Sy-AZypI03Y3Sx3TQYi97U-FabqyY9fWudgE24fEMBWQF213kqyo-I6uXIxgpq7DYzZo7IiTiRxBzILFojEEHNMdzhLqqNig8V0asb8vuTpwsN6e6Bkm5iIropQ"},
            {"kty":"EC","kid":"ec","crv":"P-256","x":"AaEFIguNYAJjJHcKZL8jPccHIEL8N4QHFCzKYTw8mVc","y":"C7IoudNacoURE9vqLsaNP7oA2rerR9xtqazYo2sBBII"},
            {"kty":"OKP","kid":"ed","crv":"Ed25519","x":"dr3pWFoNHwFGeq95dZTpzmFBeojJAPwNNX9JKzhlATI"}]}
            """#
        guard let published = try? JSONWebKeySet(parsing: published.utf8) else { fatalError("the key set") }
        return published
    }()

    /// A login, its first half through the browser, and the renewal of a token.
    static let expectations: [IDTokenExpectation] = {
        let claims: JSONValue = [
            "iss": "https://op.example", "sub": "ada", "aud": "client", "exp": 1_800_000_600, "iat": 1_799_999_990,
            "nonce": "nonce", "auth_time": 1_799_999_000,
        ]
        guard let issuer = try? Issuer("https://op.example"),
            let compact = try? JSONWebToken.sign(claims: claims, with: signer),
            let previous = try? IDToken(parsing: compact)
        else { fatalError("the expectations") }
        var login = IDTokenExpectation(issuer: issuer, clientID: "client", now: now)
        login.nonce = "nonce"
        login.accessToken = "access"
        login.maxAge = 3600
        login.policy.algorithms = Set.asymmetric.union([.hs256])
        login.clientSecret = secret
        require(accepted { try previous.validate(keys: keys, expectation: login) } != nil, "a good token is accepted")
        var front = login
        front.code = "code"
        var renewal = login
        renewal.previous = previous
        return [login, front, renewal]
    }()
}
