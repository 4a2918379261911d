import AuthStateFoundation
import AuthStateJOSE

@testable import AuthStateOAuth

/// Input at a logout: `e`, the URL that a browser ends at; `t`, the claims of a logout token, to be signed so that
/// their checks are reached; `r`, a logout token as it is.
func fuzzLogout(_ bytes: [UInt8]) {
    guard let mode = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch mode {
    case UInt8(ascii: "e"): checkCallback(rest.text)
    case UInt8(ascii: "t"):
        let input = [Array(#"{"alg":"ES256","kid":"k"}"#.utf8), rest].map(Base64URL.encode).joined(separator: ".")
        guard let signature = try? LogoutWorld.key.sign(input.utf8) else { return }
        checkToken(input + "." + Base64URL.encode(signature), isSigned: true)
    case UInt8(ascii: "r"): checkToken(rest.text, isSigned: false)
    default: return
    }
}

private func checkCallback(_ url: String) {
    let callback = AuthorizationCallback(url: url)
    guard accepted({ try LogoutWorld.request.validate(callback) }) != nil else { return }
    let parts = URIReference(url)
    require(parts.hasScheme("https") && parts.host == "app.example" && parts.path == "/out", "our own place")
    require(parts.user == nil && parts.port == nil, "no user, and no other port")
    // Another parameter may be untidy, each alone.
    let states = (parts.query ?? "").split(separator: "&").compactMap { Parameters(decoding: $0)?["state"] }
    require(states == [LogoutWorld.request.state], "the state, once")
    requireFitForLog("\(callback)")
}

private func checkToken(_ compact: String, isSigned: Bool) {
    let expectation = LogoutWorld.expectation
    guard let token = accepted({ try LogoutToken(compact, keys: LogoutWorld.keys, expectation: expectation) }) else {
        return
    }
    require(isSigned, "a signature that no key made")
    require(token.issuer == expectation.issuer && !token.tokenID.isEmpty, "iss and jti")
    require(token.subject?.isEmpty == false || token.sessionID?.isEmpty == false, "a subject or a session is named")
    require(token.expiresAt > expectation.now.addingTimeInterval(-expectation.policy.leeway.inSeconds), "exp")
    requireFitForLog("\(token)")
    require(accepted { try IDToken(parsing: compact).claims["nonce"] } ?? nil == nil, "no ID token is a logout token")
}

private enum LogoutWorld {
    static let key: SigningKey = {
        guard let key = try? SigningKey.generate(.es256, keyID: "k") else { fatalError("the key") }
        return key
    }()

    static let keys = JSONWebKeySet(keys: [key.publicKey])

    static let expectation: IDTokenExpectation = {
        guard let issuer = try? Issuer("https://op.example") else { fatalError("the issuer") }
        var expectation = IDTokenExpectation(
            issuer: issuer, clientID: "client", now: Date(timeIntervalSince1970: 1_800_000_000))
        expectation.policy.algorithms = [.es256]
        return expectation
    }()

    static let request: EndSessionRequest = {
        guard let token = URL(string: "https://op.example/token"), let uri = try? RedirectURI("https://app.example/out")
        else { fatalError("the request") }
        var request = EndSessionRequest(
            configuration: ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: token),
            postLogoutRedirectURI: uri)
        request.state = "STATE"
        return request
    }()
}
