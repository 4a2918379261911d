import AuthStateFoundation
import AuthStateJOSE

@testable import AuthStateOAuth

/// Answers of the smaller endpoints: a letter for the endpoint, the status, a line feed, then the body. `p`, a pushed
/// request; `i`, introspection; `r`, a registration; `m`, the registration of a client that has one; `u`, userinfo; `w`,
/// WebFinger.
func fuzzEndpoint(_ bytes: [UInt8]) {
    guard let endpoint = bytes.first else { return }
    let (line, body) = Array(bytes.dropFirst()).firstLineAndRest
    let response = TransportResponse(status: Int(line.text) ?? 200, body: Data(body))
    switch endpoint {
    case UInt8(ascii: "p"): checkPush(response)
    case UInt8(ascii: "i"): checkIntrospection(response)
    case UInt8(ascii: "r"): checkRegistration(response, former: nil)
    case UInt8(ascii: "m"): checkRegistration(response, former: EndpointWorld.registration)
    case UInt8(ascii: "u"): checkUserInfo(response)
    case UInt8(ascii: "w"): checkWebFinger(response)
    default: return
    }
}

/// The browser carries the reference as it is, to the provider's own endpoint and with nothing else.
private func checkPush(_ response: TransportResponse) {
    let now = EndpointWorld.now
    guard let pushed = accepted({ try PushedAuthorizationResponse(response, sentAt: now) }) else { return }
    require((200...203).contains(response.status), "a reference comes with success")
    let lifetime = pushed.expirationDate?.timeIntervalSince(now) ?? 1
    require(lifetime > 0 && lifetime <= 86400, "a lifetime of at most a day")
    requireFitForLog(pushed.description)
    guard let url = accepted({ try EndpointWorld.request.url(pushedAs: pushed) }) else {
        fatalError("broken: a reference that no browser can carry")
    }
    let parts = URIReference(url.absoluteString)
    requireSameHost(url, parts)
    require(parts.host == "op.example" && parts.path == "/authorize" && parts.fragment == nil, "the provider's place")
    let query = parts.query.flatMap { Parameters(decoding: $0) } ?? [:]
    require(query["request_uri"] == pushed.requestURI && query["client_id"] == "client", "carried as it came")
    require(query.names.count == 2 && query.repeatedName == nil, "nothing else is carried")
}

private func checkIntrospection(_ response: TransportResponse) {
    guard let answer = accepted({ try IntrospectionResponse(response) }) else { return }
    require((200...203).contains(response.status), "an answer comes with success")
    requireFitForLog(answer.description)
    require(answer.isActive || answer.description == "inactive token", "nothing is said of an inactive token")
    for date in [answer.expirationDate, answer.issuedAt, answer.notBefore].compactMap(\.self) {
        require(abs(date.timeIntervalSince1970) < 1e12, "a date that can be shown")
    }
    let named = ["active", "scope", "client_id", "username", "token_type", "exp", "sub", "aud", "iss", "jti"]
    require(named.allSatisfy { answer.additionalMembers[$0] == nil }, "each member has one place")
}

private func checkRegistration(_ response: TransportResponse, former: RegistrationResponse?) {
    let read = accepted { try RegistrationResponse(response, asked: [:], former: former) }
    guard let answer = read else { return }
    require((200...203).contains(response.status), "a registration comes with success")
    require(!answer.clientID.isEmpty && (former == nil || answer.clientID == former?.clientID), "the client that asked")
    if let former {
        require(answer.registrationAccessToken != nil && answer.registrationClientURI != nil, "it can be managed still")
        let needsSecret = answer.tokenEndpointAuthMethod == former.tokenEndpointAuthMethod
        require(!needsSecret || answer.clientSecret != nil, "no secret is lost")
    }
    if let uri = answer.registrationClientURI {
        let parts = URIReference(uri.absoluteString)
        require(parts.hasScheme("https") || parts.hasScheme("http"), "managed over HTTP")
        requireSameHost(uri, parts)
    }
    let coded = try? JSONDecoder().decode(RegistrationResponse.self, from: JSONEncoder().encode(answer))
    require(coded == answer, "stored and loaded as it was")
    requireFitForLog(answer.description)
    // With other secrets in their places the same is said: what is said cannot depend on them.
    var members = answer.metadata
    for name in ["client_secret", "registration_access_token"] where members[name]?.stringValue?.isEmpty == false {
        members[name] = .string("another")
    }
    var changed = response
    changed.body = Data(JSONValue.object(members).serialized())
    let other = accepted { try RegistrationResponse(changed, asked: [:], former: former) }
    require(other.map { "\($0) \($0.credential)" } == "\(answer) \(answer.credential)", "no secret is said")
}

private func checkUserInfo(_ response: TransportResponse) {
    guard let answer = accepted({ try UserInfoAnswer(response) }), case .plain(let claims) = answer else { return }
    if let bound = accepted({ try UserInfo(claims, subject: "ada", isSigned: false) }) {
        require(bound.isBound && bound.subject == "ada", "the user of the ID token")
        requireFitForLog(bound.description)
    }
    guard let free = accepted({ try UserInfo(claims, subject: nil, isSigned: false) }) else {
        fatalError("broken: claims that nothing is compared with")
    }
    require(!free.isBound && free.claims == claims, "all claims, bound to no ID token")
    requireFitForLog(free.description)
}

private func checkWebFinger(_ response: TransportResponse) {
    guard let answer = accepted({ try WebFingerAnswer(parsing: response.body) }) else { return }
    let parts = URIReference(answer.issuer.rawValue)
    require(parts.hasScheme("https") || parts.hasScheme("http"), "an issuer is asked over HTTP")
    require(parts.hasPlainHost && parts.user == nil && parts.query == nil && parts.fragment == nil, "an issuer's form")
    require(accepted { try Issuer(answer.issuer.rawValue) } == answer.issuer, "an issuer still")
}

private enum EndpointWorld {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static let request: AuthorizationRequest = {
        guard let authorize = URL(string: "https://op.example/authorize"),
            let token = URL(string: "https://op.example/token"),
            let uri = try? RedirectURI("https://app.example/callback")
        else { fatalError("the request") }
        let configuration = ProviderConfiguration(authorizationEndpoint: authorize, tokenEndpoint: token)
        return AuthorizationRequest(Client(configuration, id: "client"), scopes: [], redirectURI: uri)
    }()

    static let registration: RegistrationResponse = {
        let body = """
            {"client_id":"client","client_secret":"the secret of before","client_secret_expires_at":0,
            "token_endpoint_auth_method":"client_secret_basic","registration_access_token":"the token of before",
            "registration_client_uri":"https://op.example/register/client"}
            """
        guard let made = try? RegistrationResponse(TransportResponse(status: 201, body: Data(body.utf8))) else {
            fatalError("the registration")
        }
        return made
    }()
}
