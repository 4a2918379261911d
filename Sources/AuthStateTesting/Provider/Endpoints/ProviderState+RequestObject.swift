import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The parameters of a signed request, or the given ones when there is none (RFC 9101, section 6).
    func signedParameters(_ parameters: Parameters, of client: Client) throws(ProviderRefusal) -> Parameters {
        let published = parameters["request_uri"].flatMap { configuration.publishedRequestObjects[$0] }
        guard let compact = parameters["request"] ?? published else {
            guard !configuration.requiresSignedRequestObjects else {
                throw .invalidRequest("Authorization requests have to be signed.")
            }
            return parameters
        }
        guard let token = try? JSONWebToken(parsing: compact) else {
            throw .wrongRequest("The request is not a signed JWT.")
        }
        let claims = token.claims
        let checks: [(holds: Bool, fault: String)] = [
            (token.header.type == RequestObject.type, "The request's typ is not \(RequestObject.type)."),
            (claims["iss"]?.stringValue == client.id, "The request's iss is not the client."),
            (claims["client_id"]?.stringValue == client.id, "The request's client_id is not the client."),
            (claims["aud"]?.stringValue == issuer, "The request's aud is not \(issuer)."),
            (claims["exp"]?.doubleValue.map { now < $0 } == true, "The request expired, or has no exp."),
            (claims["nbf"]?.doubleValue.map { $0 <= now } == true, "The request is from the future, or has no nbf."),
            (claims["request"] == nil && claims["request_uri"] == nil, "The request holds another request."),
            (token.isSigned(by: client), "The request's signature is not the client's."),
        ]
        if let failed = checks.first(where: { !$0.holds }) { throw .wrongRequest(failed.fault) }
        var result = Self.parameters(of: claims)
        for name in ["response_type", "scope"] where parameters[name] != nil && parameters[name] != result[name] {
            throw .wrongRequest("The signed request has another \(name) than the one beside it.")
        }
        for name in ["username", "password", "decision"] { result[name] = parameters[name] }
        return result
    }

    /// Claims as parameters: text as it is, a list as a repeated parameter, everything else as JSON.
    private static func parameters(of claims: JSONValue) -> Parameters {
        var result: Parameters = [:]
        for (name, value) in claims.objectValue ?? [:] where !registeredClaims.contains(name) {
            let values = name == "resource" ? value.arrayValue ?? [value] : [value]
            for value in values {
                result.append(name, value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self))
            }
        }
        return result
    }

    private static let registeredClaims: Set = ["iss", "aud", "iat", "nbf", "exp", "jti"]
}

extension ProviderRefusal {
    fileprivate static func wrongRequest(_ fault: String) -> Self { Self("invalid_request_object", fault) }
}
