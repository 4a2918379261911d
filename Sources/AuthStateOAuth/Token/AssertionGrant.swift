public import AuthStateJOSE

/// A grant by an assertion that another party signs and that is read anew for each request (RFC 7523, section 2.1).
///
/// The party is the platform that the program runs on, which vouches for the program, or an identity provider, which vouches
/// for a user. The assertion is referred to and never archived.
public struct AssertionGrant: Sendable, Hashable, Codable, Redacted {
    /// Where the assertion is, see `ClientCredential.assertion(file:)`.
    public var assertion: ClientCredential
    /// The scopes to ask for.
    public var scopes: [Scope]
    /// The resources that the token shall be for, absolute URIs (RFC 8707, section 2.2).
    public var resources: [String]
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters

    /// Makes a grant.
    public init(
        _ assertion: ClientCredential, scopes: [Scope] = [], resources: [String] = [],
        additionalParameters: Parameters = [:]
    ) {
        self.assertion = assertion
        self.scopes = scopes
        self.resources = resources
        self.additionalParameters = additionalParameters
    }

    /// Where the assertion is; never the assertion.
    public var description: String { "grant by an \(assertion)" }
}
