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
    case tokens([String: JSONValue], UnsignedIDToken?)
    /// A token response whose `access_token` is a JWT.
    case issuedToken([String: JSONValue], UnsignedIDToken)
    case userInfo([String: JSONValue], UserInfoSigning?)
    case authorization(AuthorizationAnswer)

    func response(keys: ProviderKeys, deviations: OpenIDProvider.Deviations) throws(JOSEError) -> LoopbackResponse {
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
        case .userInfo(let claims, nil): return .json(claims, edit: deviations.userInfo)
        case .userInfo(var claims, let signing?):
            deviations.userInfo?(&claims)
            return try signing.response(claims, keys: keys, signature: deviations.userInfoSignature)
        case .tokens(var members, let idToken):
            if let idToken { members["id_token"] = .string(try idToken.signed(keys: keys, deviations: deviations)) }
            return .json(members, edit: deviations.tokenResponse)
        case .issuedToken(var members, let token):
            members["access_token"] = .string(try token.signed(keys: keys, deviations: deviations))
            return .json(members, edit: deviations.tokenResponse)
        case .authorization(var answer):
            if let idToken = answer.idToken {
                answer.parameters["id_token"] = try idToken.signed(keys: keys, deviations: deviations)
            }
            deviations.authorizationResponse?(&answer.parameters)
            if let signing = answer.signing {
                answer.parameters = try signing.parameters(answer.parameters, keys: keys, deviations: deviations)
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
    var idToken: UnsignedIDToken?
    /// Nil leaves it unsigned.
    var signing: AnswerSigning?
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
