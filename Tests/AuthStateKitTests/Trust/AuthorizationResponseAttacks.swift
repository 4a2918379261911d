import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension Attack {
    /// False answers of the authorization endpoint, each by itself; and requests that would make true ones worthless.
    static let authorizationResponse: [Attack] = [
        Attack(.challengeMethod) {
            _ = try FrontChannel(["code_challenge_methods_supported": ["plain"]]).request.url()
        },
        Attack(.hybridNonce) {
            var request = try FrontChannel().hybrid
            request.nonce = nil
            _ = try request.url()
        },
        // Another path of the same site, which may belong to another party.
        Attack(.callbackPlace) { try FrontChannel().believe("https://app.example/open?code=c&state=s") },
        Attack(.callbackPlace) { try FrontChannel().believe("https://app.example.evil.example/cb?code=c&state=s") },
        Attack(.callbackPlace) { try FrontChannel().believe("http://app.example/cb?code=c&state=s") },
        // The callback of another provider's login, whose redirect URI differs in the query alone.
        Attack(.callbackQuery) {
            let channel = try FrontChannel()
            try channel.believe(
                "https://app.example/cb?provider=b&code=c&state=s", for: channel.at("https://app.example/cb?provider=a")
            )
        },
        Attack(.callbackQuery) {
            let channel = try FrontChannel()
            try channel.believe(
                "https://app.example/cb?code=c&state=s", for: channel.at("https://app.example/cb?provider=a"))
        },
        // The answer where scripts, logs or other servers would have seen it.
        Attack(.callbackMode) { try FrontChannel().believe("https://app.example/cb#code=c&state=s") },
        Attack(.callbackMode) {
            let channel = try FrontChannel()
            try channel.believe("https://app.example/cb?code=c&state=s&id_token=i", for: channel.hybrid)
        },
        Attack(.callbackMode) { try FrontChannel().believe("https://app.example/cb", form: "code=c&state=s") },
        // Two of a kind: code that checks the one may use the other.
        Attack(.callbackParameters) { try FrontChannel().believe("https://app.example/cb?code=c&code=x&state=s") },
        Attack(.callbackParameters) { try FrontChannel().believe("https://app.example/cb?code=c&state=s&state=x") },
        // The attacker's own login, put into the victim's browser (RFC 9700, section 4.7).
        Attack(.callbackState) { try FrontChannel().believe("https://app.example/cb?code=c&state=x") },
        Attack(.callbackState) { try FrontChannel().believe("https://app.example/cb?code=c") },
        Attack(.callbackState) {
            let answer = AuthorizationCallback(url: "https://app.example/cb?error=access_denied&state=x")
            try FrontChannel().expect(.accessDenied, answer)
        },
        // The answer of another provider, which this one shall not get to see (RFC 9700, section 4.4).
        Attack(.callbackIssuer) {
            try FrontChannel().believe("https://app.example/cb?code=c&state=s&iss=https%3A%2F%2Fother.example")
        },
        Attack(.callbackIssuerPresence) {
            try FrontChannel(["authorization_response_iss_parameter_supported": true])
                .believe("https://app.example/cb?code=c&state=s")
        },
        // Without its ID token nothing ties the code of the hybrid flow to the user.
        Attack(.callbackIDToken) {
            let channel = try FrontChannel()
            try channel.believe("https://app.example/cb#code=c&state=s", for: channel.hybrid)
        },
        Attack(.pendingExpiry) {
            let channel = try FrontChannel()
            let pending = try await channel.service(at: 0).begin(channel.fresh)
            _ = try await channel.service(at: 600).authorizationResponse(
                for: pending, callback: channel.answer(to: pending))
        },
        Attack(.pendingUse) {
            let channel = try FrontChannel()
            let pending = try await channel.service(at: 0).begin(channel.fresh)
            for _ in 0..<2 {
                _ = try await channel.service(at: 1).authorizationResponse(
                    for: pending, callback: channel.answer(to: pending))
            }
        },
    ]

    /// Browsers that come back from another logout, or from none.
    static let logoutResponse: [Attack] = [
        Attack(.logoutPlace) { try FrontChannel().logOut("https://app.example/open?state=s") },
        Attack(.logoutQuery) {
            try FrontChannel().logOut(
                "https://app.example/bye?provider=b&state=s", at: "https://app.example/bye?provider=a")
        },
        Attack(.logoutState) { try FrontChannel().logOut("https://app.example/bye?state=x") },
        Attack(.logoutState) { try FrontChannel().logOut("https://app.example/bye?state=s&state=x") },
        Attack(.logoutState) { try FrontChannel().logOut("https://app.example/bye") },
    ]

    /// Requests that other pages in the browser, and other users of the machine, can send to a loopback port.
    static let loopbackReceiver: [Attack] = [
        // The attacker's own login, delivered by a program of theirs, which read `state` where it stands.
        Attack(.loopbackCookie) { try LoopbackKnock().get(["Cookie": "authstate-8400=guess"]) },
        Attack(.loopbackCookie) {
            let knock = try LoopbackKnock()
            try knock.post("authstate_form=code%3Dx%26state%3Ds", ["Origin": "http://127.0.0.1:8400", "Cookie": "a=b"])
        },
        Attack(.loopbackCookie) {
            let knock = try LoopbackKnock()
            try knock.post(
                "authstate_fragment=code%3Dx%26state%3Ds", ["Origin": "http://127.0.0.1:8400", "Cookie": ""])
        },
        // The page, and `state` with it, for a second visitor of the address.
        Attack(.loopbackEntrance) {
            var entrance = try LoopbackKnock().entrance
            guard entrance.enter(), entrance.enter() else {
                throw AuthStateError(.openedTwice, stage: .authorization, "The address was opened before.")
            }
        },
        // Another page of the browser, which has the cookie, ends the login.
        Attack(.loopbackState) { try LoopbackKnock().get([:], "/callback?code=x&state=other") },
        Attack(.loopbackState) { try LoopbackKnock().get([:], "/callback?error=access_denied") },
        Attack(.loopbackState) {
            try LoopbackKnock().get([:], "/callback?response=\(LoopbackKnock.signedAnswer(state: "other"))")
        },
        Attack(.loopbackHost) { try LoopbackKnock().get(["Host": "rebound.example:8400"]) },
        Attack(.loopbackNavigation) { try LoopbackKnock().get(["Sec-Fetch-Mode": "no-cors"]) },
        Attack(.loopbackNavigation) {
            let headers: TransportHeaders = ["Sec-Fetch-Mode": "cors", "Origin": "http://127.0.0.1:8400"]
            try LoopbackKnock().post("authstate_fragment=code%3Dx%26state%3Ds", headers)
        },
        Attack(.loopbackDocument) {
            try LoopbackKnock().get(["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"])
        },
        // A page on another port of this machine is of the same site, and its forms carry the cookie.
        Attack(.loopbackFormOrigin) {
            try LoopbackKnock().post("authstate_fragment=code%3Dx%26state%3Ds", ["Origin": "http://127.0.0.1:9000"])
        },
        Attack(.loopbackFormOrigin) {
            let headers: TransportHeaders = ["Origin": "http://127.0.0.1:8400", "Sec-Fetch-Site": "same-site"]
            try LoopbackKnock().post("authstate_form=code%3Dx%26state%3Ds", headers)
        },
        Attack(.loopbackFormOrigin) { try LoopbackKnock().post("authstate_fragment=code%3Dx%26state%3Ds", [:]) },
    ]
}

/// A login and a logout that wait for their answers; the state of both is `s`.
private struct FrontChannel {
    var request: AuthorizationRequest

    init(_ metadata: [String: JSONValue] = [:]) throws {
        let document: [String: JSONValue] = [
            "issuer": "https://op.example", "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/keys",
            "end_session_endpoint": "https://op.example/logout", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
        ]
        request = AuthorizationRequest(
            Client(
                try ProviderConfiguration(
                    metadata: ProviderMetadata(document: document.merging(metadata) { $1 }),
                    issuer: Issuer("https://op.example")), id: "app"),
            redirectURI: try RedirectURI("https://app.example/cb"))
        request.state = "s"
    }

    var hybrid: AuthorizationRequest {
        var request = request
        request.responseType = .codeIDToken
        return request
    }

    /// The request with another redirect URI.
    func at(_ redirectURI: String) throws -> AuthorizationRequest {
        var request = request
        request.redirectURI = try RedirectURI(redirectURI)
        return request
    }

    /// A request with a state of its own, which serves once.
    var fresh: AuthorizationRequest {
        var request = request
        request.state = CodeVerifier().rawValue
        return request
    }

    func believe(_ url: String, form: String? = nil, for request: AuthorizationRequest? = nil) throws {
        let callback = form.map { AuthorizationCallback(url: url, formBody: $0) } ?? AuthorizationCallback(url: url)
        _ = try AuthorizationResponse(callback: callback, for: request ?? self.request)
    }

    /// An error response counts as believed when it is the error that the caller gets.
    func expect(_ code: AuthStateError.Code, _ callback: AuthorizationCallback) throws {
        do {
            _ = try AuthorizationResponse(callback: callback, for: request)
        } catch let error as AuthStateError where error.code == code {}
    }

    func service(at seconds: Double) -> AuthorizationService {
        return AuthorizationService { $0.clock = WallClock { Date(timeIntervalSince1970: seconds) } }
    }

    func answer(to pending: PendingAuthorization) -> AuthorizationCallback {
        AuthorizationCallback(url: "https://app.example/cb?code=c&state=\(pending.request.state)")
    }

    func logOut(_ url: String, at redirectURI: String = "https://app.example/bye") throws {
        var logout = EndSessionRequest(
            configuration: request.client.provider, postLogoutRedirectURI: try RedirectURI(redirectURI))
        logout.state = "s"
        try logout.validate(AuthorizationCallback(url: url))
    }
}

/// A request to the receiver of `http://127.0.0.1:8400/callback`, whose login has the state `s`; it has the cookie unless
/// the attack has one of its own.
private struct LoopbackKnock {
    let redirectURI: RedirectURI
    let entrance: LoopbackEntrance

    init() throws {
        redirectURI = try RedirectURI("http://127.0.0.1:8400/callback")
        entrance = LoopbackEntrance(
            to: "https://op.example/authorize?state=s", redirectURI: redirectURI, lifetime: .seconds(300))
    }

    func get(_ headers: TransportHeaders, _ target: String = "/callback?code=x&state=s") throws {
        try knock("GET", target, "", headers)
    }

    func post(_ body: String, _ headers: TransportHeaders) throws {
        var headers = headers
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        try knock("POST", "/callback", body, headers)
    }

    /// An answer by JARM; at the port only what it claims is read.
    static func signedAnswer(state: String) -> String {
        let parts = [#"{"alg":"ES256"}"#, #"{"code":"x","state":"\#(state)"}"#, "signature"]
        return parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    private func knock(_ method: String, _ target: String, _ body: String, _ headers: TransportHeaders) throws {
        var lines = "\(method) \(target) HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n"
        for field in headers { lines += "\(field.name): \(field.value)\r\n" }
        if headers["Host"] == nil { lines += "Host: 127.0.0.1:8400\r\n" }
        if headers["Cookie"] == nil { lines += "Cookie: \(entrance.cookie)\r\n" }
        var parser = LoopbackRequestParser()
        guard case .request(let request) = parser.feed("\(lines)\r\n\(body)".utf8) else { return }
        let rules = LoopbackCallbackRules(redirectURI: redirectURI, purpose: .login, entrance: entrance, state: "s")
        guard case .callback = rules.judge(request) else {
            throw AuthStateError(.callbackMismatch, stage: .authorization, "The request is refused.")
        }
    }
}
