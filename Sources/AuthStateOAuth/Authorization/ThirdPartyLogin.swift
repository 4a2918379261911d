public import AuthStateJOSE

/// A login that a third party starts: the parameters that come to the `initiate_login_uri` of a web server (OpenID
/// Connect Core, section 4).
///
/// Any website can send a browser there. So the issuer has to be one that the program works with, and `targetLinkURI`
/// has to be compared with the program's own pages before the browser is redirected; otherwise the server is an open
/// redirector.
public struct ThirdPartyLogin: Sendable, Hashable, Redacted {
    /// Where the user is to log in.
    public let issuer: Issuer
    /// The expected user, for `AuthorizationRequest.loginHint`.
    public let loginHint: String?
    /// Where the user wants to go afterwards; not to be trusted.
    public let targetLinkURI: String?
    /// Where the issuer may be asked: anywhere if the program's list names it, at public addresses if a rule allows it.
    package let addressPolicy: AddressPolicy

    /// Reads the parameters of a GET or of a form: `iss`, `login_hint` and `target_link_uri`; throws `AuthStateError`
    /// of stage authorization: `.issuerNotAllowed`, `.invalidIssuer`, `.duplicateParameter`.
    public init(_ parameters: Parameters, allowedIssuers: IssuerAllowList) throws {
        if let name = parameters.repeatedName {
            throw AuthStateError(
                .duplicateParameter, stage: .authorization, "A parameter of the login comes twice.", received: name)
        }
        let issuer = try Issuer(parameters["iss"] ?? "")
        guard TrustCheck.thirdPartyIssuer.holds(allowedIssuers.allows(issuer)) else {
            throw AuthStateError(
                .issuerNotAllowed, stage: .authorization, "A third party names an issuer that is not allowed.",
                expected: "an issuer that the program allows", received: issuer.rawValue,
                hint: "Add the issuer to those that are allowed, if you trust it with your users.")
        }
        self.issuer = issuer
        addressPolicy = allowedIssuers.addressPolicy
        loginHint = parameters["login_hint"]
        targetLinkURI = parameters["target_link_uri"]
    }

    /// A request of a client at this issuer, with the hint.
    ///
    /// - Parameters:
    ///   - client: The client; `.issuerMismatch` is thrown when its provider is another issuer.
    ///   - scopes: The scopes to ask for, in order.
    ///   - redirectURI: The URI that the answer goes to.
    public func request(_ client: Client, scopes: [Scope], redirectURI: RedirectURI) throws -> AuthorizationRequest {
        guard client.provider.issuer == issuer else {
            throw AuthStateError(
                .issuerMismatch, stage: .authorization, "The endpoints are those of another issuer.",
                expected: issuer.rawValue, received: client.provider.issuer?.rawValue)
        }
        var request = AuthorizationRequest(client, scopes: scopes, redirectURI: redirectURI)
        request.loginHint = loginHint
        return request
    }

    /// The issuer.
    public var description: String { "login at \(issuer), started by a third party" }
}
