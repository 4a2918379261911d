public import AuthStateJOSE

extension TokenRequest.Grant: Redacted {
    /// The grant's name (RFC 6749, section 4).
    public var type: GrantType {
        switch self {
        case .authorizationCode: .authorizationCode
        case .refreshToken: .refreshToken
        case .clientCredentials: .clientCredentials
        case .deviceCode: .deviceCode
        case .backchannelAuthentication: .ciba
        case .assertion, .jwtBearer, .issuedAssertion: .jwtBearer
        case .tokenExchange: .tokenExchange
        }
    }

    /// What a grant asks for by itself.
    var terms: (scopes: [Scope], resources: [String], additionalParameters: Parameters) {
        switch self {
        case .jwtBearer(let grant): (grant.scopes, grant.resources, grant.additionalParameters)
        case .issuedAssertion(let grant): (grant.scopes, grant.resources, grant.additionalParameters)
        case .tokenExchange(let exchange): (exchange.scopes, exchange.resources, exchange.additionalParameters)
        default: ([], [], [:])
        }
    }

    /// Adds the grant's own parameters; throws `.invalidArgument` for an assertion that is not signed, or not read.
    func apply(to form: inout Parameters, stage: AuthStateError.Stage) throws {
        switch self {
        case .authorizationCode(let code, let redirectURI, let codeVerifier):
            form["code"] = code
            form["redirect_uri"] = redirectURI?.rawValue
            form["code_verifier"] = codeVerifier?.rawValue
        case .refreshToken(let token): form["refresh_token"] = token
        case .clientCredentials: break
        case .deviceCode(let code): form["device_code"] = code
        case .backchannelAuthentication(let id): form["auth_req_id"] = id
        case .assertion(let assertion): form["assertion"] = assertion
        case .jwtBearer:
            throw AuthStateError(
                .invalidArgument, stage: stage, "The assertion is not signed.",
                hint: "Sign it with JWTBearerGrant.assertion, or let AuthorizationService.perform do it.")
        case .issuedAssertion:
            throw AuthStateError(
                .invalidArgument, stage: stage, "The assertion is not read.",
                hint: "Pass its text, or let AuthorizationService.perform read it.")
        case .tokenExchange(let exchange): exchange.apply(to: &form)
        }
    }

    /// The refresh token; nil for every other grant.
    package var refreshToken: String? { if case .refreshToken(let token) = self { token } else { nil } }

    /// The grant's name; what is presented stays secret.
    public var description: String { type.rawValue }
}
