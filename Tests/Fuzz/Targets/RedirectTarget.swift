import AuthStateFoundation
import AuthStateJOSE

@testable import AuthStateOAuth

/// Answers at a redirect URI: `q` by query, `f` by fragment, `p` by form (the URL's line, then the body), `s` by query
/// where a signed answer was asked for; and `u`, a URI of any other place.
func fuzzRedirect(_ bytes: [UInt8]) {
    guard let mode = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch mode {
    case UInt8(ascii: "q"): check(AuthorizationCallback(url: rest.text), .query)
    case UInt8(ascii: "f"): check(AuthorizationCallback(url: rest.text), .fragment)
    case UInt8(ascii: "p"):
        let (line, body) = rest.firstLineAndRest
        check(AuthorizationCallback(url: line.text, formBody: body.text), .formPost)
    case UInt8(ascii: "s"): checkSigned(AuthorizationCallback(url: rest.text))
    case UInt8(ascii: "u"): checkURI(rest.text)
    default: return
    }
}

private func check(_ callback: AuthorizationCallback, _ mode: AuthorizationRequest.ResponseMode) {
    let request = RedirectWorld.request(mode)
    guard let response = accepted({ try AuthorizationResponse(callback: callback, for: request) }) else { return }
    require(!response.code.isEmpty && (mode != .fragment || response.idToken != nil), "a code, and what was asked for")
    requireFitForLog(response.description)
    var parameters = response.additionalParameters
    parameters["code"] = response.code
    parameters["state"] = request.state
    parameters["scope"] = response.scope
    parameters["id_token"] = response.idToken
    let place = "https://app.example/callback"
    let again: AuthorizationCallback =
        switch mode {
        case .formPost: AuthorizationCallback(url: place, formBody: parameters.encoded)
        case .fragment: AuthorizationCallback(url: "\(place)#\(parameters.encoded)")
        default: AuthorizationCallback(url: "\(place)?\(parameters.encoded)")
        }
    require(accepted { try AuthorizationResponse(callback: again, for: request) } == response, "read as it was written")
}

/// Without keys nothing is believed, signed or not.
private func checkSigned(_ callback: AuthorizationCallback) {
    let request = RedirectWorld.request(.queryJWT)
    switch accepted({ try AuthorizationResponse.answer(of: callback, for: request) }) {
    case .plain?: fatalError("broken: an unsigned answer is taken for a signed one")
    case .signed(let answer)?:
        requireFitForLog(answer.description)
        require(
            (try? answer.parameters(keys: JSONWebKeySet(keys: []), now: Date(timeIntervalSince1970: 0))) == nil,
            "no key, no answer")
    case nil: break
    }
}

private func checkURI(_ text: String) {
    let parts = URIReference(text)
    require(parts.whole.utf8.elementsEqual(text.utf8), "the parts are the whole")
    if let uri = accepted({ try RedirectURI(text) }) {
        require(uri.matches(text) && uri.rawValue == text, "a URI is where it says")
        let moved = uri.withPort(4711)
        require(parts.host == nil ? moved == uri : moved.port == 4711, "the port is the one that was set")
        require(accepted { try RedirectURI(moved.rawValue) } == moved, "still a redirect URI")
        require(moved.path == uri.path && moved.isLoopback == uri.isLoopback, "nothing else changed")
    }
    if let issuer = accepted({ try Issuer(text) }) {
        for url in [issuer.openIDConfigurationURL, issuer.authorizationServerMetadataURL] {
            guard let url else { fatalError("broken: an issuer without a place for its metadata") }
            requireSameHost(url, parts)
        }
    }
    if let url = ProviderMetadata.endpoint(text) { requireSameHost(url, URIReference(url.absoluteString)) }
}

/// The check of a URL and the connection to it must see the same host and port.
func requireSameHost(_ url: URL, _ parts: URIReference) {
    let seen = parts.host.map { $0.first == "[" ? $0.dropFirst().dropLast() : $0 } ?? ""
    let reached = url.host(percentEncoded: true) ?? ""
    require(reached.equalsIgnoringASCIICase(seen), "one host, not two: \(reached), \(seen)")
    let port = parts.port.flatMap { Int($0) }
    require(url.port == port, "one port, not two: \(String(describing: url.port)), \(String(describing: port))")
}

extension URIReference {
    fileprivate var whole: String {
        var text = scheme.map { "\($0):" } ?? ""
        if let host { text += "//" + (user.map { "\($0)@" } ?? "") + host + (port.map { ":\($0)" } ?? "") }
        return text + path + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
    }
}

private enum RedirectWorld {
    static let base: AuthorizationRequest = {
        guard let issuer = try? Issuer("https://op.example"), let token = URL(string: "https://op.example/token"),
            let uri = try? RedirectURI("https://app.example/callback")
        else { fatalError("the request") }
        let configuration = ProviderConfiguration(issuer: issuer, authorizationEndpoint: nil, tokenEndpoint: token)
        var request = AuthorizationRequest(Client(configuration, id: "client"), redirectURI: uri)
        request.state = "STATE"
        return request
    }()

    static func request(_ mode: AuthorizationRequest.ResponseMode) -> AuthorizationRequest {
        var request = base
        request.responseMode = mode
        if mode == .fragment { request.responseType = .codeIDToken }
        return request
    }
}
