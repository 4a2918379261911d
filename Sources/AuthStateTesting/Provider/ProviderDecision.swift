import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// What an endpoint decided; signing, and what deviates, come after it.
enum ProviderDecision: Sendable {
    case response(LoopbackResponse)
    case metadata([String: JSONValue])
    case keySet
    case tokens([String: JSONValue], UnsignedIDToken?)
    case userInfo([String: JSONValue])
    case authorization(AuthorizationAnswer)

    func response(keys: ProviderKeys, deviations: OpenIDProvider.Deviations) throws(JOSEError) -> LoopbackResponse {
        switch self {
        case .response(let response): return response
        case .metadata(let members): return .json(members, edit: deviations.metadata)
        case .keySet: return .json(keys.document, edit: deviations.keySet)
        case .userInfo(let claims): return .json(claims, edit: deviations.userInfo)
        case .tokens(var members, let idToken):
            if let idToken { members["id_token"] = .string(try idToken.signed(keys: keys, deviations: deviations)) }
            return .json(members, edit: deviations.tokenResponse)
        case .authorization(var answer):
            if let idToken = answer.idToken {
                answer.parameters["id_token"] = try idToken.signed(keys: keys, deviations: deviations)
            }
            deviations.authorizationResponse?(&answer.parameters)
            return answer.response
        }
    }
}

extension LoopbackResponse {
    fileprivate static func json(
        _ members: [String: JSONValue], edit: OpenIDProvider.Deviations.Edit?
    ) -> LoopbackResponse {
        var members = members
        edit?(&members)
        return .json(members)
    }
}

/// An authorization response on its way to the redirect URI.
struct AuthorizationAnswer: Sendable {
    /// How it travels (OAuth 2.0 Multiple Response Types, and Form Post Response Mode).
    enum Mode: String, Sendable {
        case query
        case fragment
        case formPost = "form_post"
    }

    var redirectURI: String
    var mode: Mode
    var parameters: Parameters
    var idToken: UnsignedIDToken?

    var response: LoopbackResponse {
        switch mode {
        case .query:
            .redirect(to: "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(parameters.encoded)")
        case .fragment: .redirect(to: "\(redirectURI)#\(parameters.encoded)")
        case .formPost: ProviderPage.formPost(parameters, to: redirectURI).response
        }
    }
}
