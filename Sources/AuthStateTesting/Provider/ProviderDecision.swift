import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// The decision of an endpoint; signing and deviations follow it.
enum ProviderDecision: Sendable {
    case response(LoopbackResponse)
    /// A browser has logged out; the clients that want to know are told first.
    case loggedOut(LoopbackResponse, [EndedSession])
    case metadata([String: JSONValue], at: OpenIDProvider.Endpoint)
    case webFinger([String: JSONValue])
    case keySet
    case deviceAuthorization([String: JSONValue])
    case backchannelAuthentication([String: JSONValue])
    case tokens([String: JSONValue], UnsignedToken?)
    /// A token response whose `access_token` is a JWT.
    case issuedToken([String: JSONValue], UnsignedToken)
    case userInfo([String: JSONValue])
    case signedUserInfo(UnsignedToken)
    case authorization(AuthorizationAnswer)

    /// A refusal that the browser shows, and that does not travel to a redirect URI.
    static func problem(_ text: String) -> Self { .response(ProviderPage.problem(text).response) }

    func response(keys: ProviderKeys, deviations: OpenIDProvider.Deviations) throws(JOSEError) -> LoopbackResponse {
        func signed(_ token: UnsignedToken) throws(JOSEError) -> String {
            try token.signed(keys: keys, edit: deviations.idToken, signature: deviations.signature)
        }
        switch self {
        case .response(let response), .loggedOut(let response, _): return response
        case .metadata(let members, let endpoint):
            return .json(members) { members in
                deviations.metadata?(&members)
                if endpoint == .metadata { deviations.authorizationServerMetadata?(&members) }
            }
        case .webFinger(let members):
            var response = LoopbackResponse.json(members, edit: deviations.webFinger)
            response.headers["Content-Type"] = "application/jrd+json"
            return response
        case .deviceAuthorization(let members): return .json(members, edit: deviations.deviceAuthorization)
        case .backchannelAuthentication(let members):
            return .json(members, edit: deviations.backchannelAuthentication)
        case .keySet: return .json(keys.document, edit: deviations.keySet)
        case .userInfo(let claims): return .json(claims, edit: deviations.userInfo)
        case .signedUserInfo(var token):
            deviations.userInfo?(&token.claims)
            return LoopbackResponse(
                status: 200, headers: ["Content-Type": "application/jwt", "Cache-Control": "no-store"],
                body: Array(try token.signed(keys: keys, signature: deviations.userInfoSignature).utf8))
        case .tokens(var members, let idToken):
            if let idToken { members["id_token"] = .string(try signed(idToken)) }
            return .json(members, edit: deviations.tokenResponse)
        case .issuedToken(var members, let token):
            members["access_token"] = .string(try signed(token))
            return .json(members, edit: deviations.tokenResponse)
        case .authorization(var answer):
            if let idToken = answer.idToken { answer.parameters["id_token"] = try signed(idToken) }
            deviations.authorizationResponse?(&answer.parameters)
            if var token = answer.signing {
                for name in answer.parameters.names { token.claims[name] = answer.parameters[name].map { .string($0) } }
                deviations.signedAuthorizationResponse?(&token.claims)
                let signature = deviations.authorizationResponseSignature
                answer.parameters = ["response": try token.signed(keys: keys, signature: signature)]
            }
            return answer.response
        }
    }
}

/// An authorization response on its way to the redirect URI.
struct AuthorizationAnswer: Sendable {
    var redirectURI: String
    /// How it travels.
    var mode: AuthorizationRequest.ResponseMode
    var parameters: Parameters
    var idToken: UnsignedToken?
    /// `iss`, `aud` and `exp` of a signed answer, whose single parameter it is (JARM, section 2.1); nil leaves it unsigned.
    var signing: UnsignedToken?
    /// The cookie of the browser's new session; nil sets none.
    var cookie: String?

    var response: LoopbackResponse {
        var response: LoopbackResponse =
            switch mode.carrier {
            case .fragment: .redirect(to: "\(redirectURI)#\(parameters.encoded)")
            case .formPost: ProviderPage.formPost(parameters, to: redirectURI).response
            default: .redirect(to: "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(parameters.encoded)")
            }
        if let cookie { response.headers["Set-Cookie"] = cookie }
        return response
    }
}
