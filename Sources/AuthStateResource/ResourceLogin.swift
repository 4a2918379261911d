public import AuthStateKit
public import AuthStateOAuth
import AuthStateServer
public import AuthStateUserAgent

/// How a login for a resource is made.
public struct ResourceLogin: Sendable {
    enum Way: Sendable {
        case browser(any ExternalUserAgent)
        case device(@Sendable (DeviceAuthorizationResponse) async throws -> Void)
        case clientCredentials
        case signedAssertion(subject: String?)
        case assertion(ClientCredential, issuer: String?)
        case elsewhere
    }

    let way: Way

    /// A user logs in at the authorization server's page.
    public static func presenting(_ userAgent: any ExternalUserAgent) -> Self { Self(way: .browser(userAgent)) }

    /// A user confirms the login on another device (RFC 8628), where the authorization server has that; else a login throws
    /// `.endpointMissing`, stage authorization. `Options.prepare` is not called.
    ///
    /// Where several processes share a store that other programs cannot write (`AuthStateStore.mayBeWrittenByOthers`), one of
    /// them makes the login, and those that wait for it show its code too.
    ///
    /// - Parameter present: Shows `userCode` and `verificationURI` to the user; of another process's login `deviceCode` is empty.
    public static func device(
        present: @escaping @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) -> Self {
        Self(way: .device(present))
    }

    /// The program logs in in its own name, with the credential of its client.
    public static let clientCredentials = Self(way: .clientCredentials)

    /// The program logs in with assertions that the private key of its client signs (RFC 7523, section 2.1), as service accounts
    /// do.
    ///
    /// - Parameter subject: `sub`: the subject of the token; nil is the client itself.
    public static func signedAssertion(subject: String? = nil) -> Self { Self(way: .signedAssertion(subject: subject)) }

    /// The program logs in with an assertion that another party signs, for example the platform that it runs on (RFC 7523,
    /// section 2.1; MCP, Workload Identity Federation).
    ///
    /// A client beside it is needed where the server wants one: with an empty list of clients the assertion alone says who
    /// asks.
    ///
    /// - Parameters:
    ///   - assertion: Where the assertion is, see `ClientCredential.assertion(file:)`.
    ///   - issuer: The authorization server that it is signed for, exactly as its metadata have it. No other server that the
    ///     resource names gets the assertion.
    public static func assertion(_ assertion: ClientCredential, issuer: String) -> Self {
        Self(way: .assertion(assertion, issuer: issuer))
    }

    /// The program logs in with an assertion that it fetches for the authorization server that the resource names.
    ///
    /// - Parameter function: Returns an assertion that the request's `audience` accepts and no other server does: the resource
    ///   may name any.
    public static func assertion(
        _ function: @escaping @Sendable (CredentialRequest) async throws -> String
    ) -> Self {
        Self(way: .assertion(.assertion(function), issuer: nil))
    }

    /// The user of another login gets access without a page, where their organization allows it (MCP, Enterprise-Managed
    /// Authorization): the login's provider signs an assertion of the user's identity for the authorization server that the
    /// resource names, see `AuthState.identityAssertion(audience:resources:scopes:additionalParameters:)`.
    ///
    /// - Parameter authState: The user's login at the provider of their organization.
    public static func identity(of authState: AuthState) -> Self {
        assertion { request in
            try await authState.identityAssertion(
                audience: request.audience, resources: request.resources, scopes: request.scopes)
        }
    }

    /// Whether a user logs in at a page.
    var hasPage: Bool {
        switch way {
        case .browser, .elsewhere: true
        case .device, .clientCredentials, .signedAssertion, .assertion: false
        }
    }

    /// Whether a user confirms the login on another device.
    var isOnDevice: Bool { if case .device = way { true } else { false } }

    /// The issuer that an assertion is for; nil for none, and for any.
    var issuer: String? { if case .assertion(_, let issuer) = way { issuer } else { nil } }

    /// The grant by an assertion; nil for every other way.
    func assertionGrant(scopes: [Scope] = [], resources: [String] = []) -> AssertionGrant? {
        guard case .assertion(let assertion, _) = way else { return nil }
        return AssertionGrant(assertion, scopes: scopes, resources: resources)
    }

    /// No user is at hand: a call that needs a login throws `.notLoggedIn`, and the program makes the login in two requests
    /// of a browser, with `beginLogin(redirectURI:because:)` and `completeLogin(_:callback:)`.
    public static let elsewhere = Self(way: .elsewhere)
}
