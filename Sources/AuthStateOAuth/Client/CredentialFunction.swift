/// The request that a credential is needed for, see `CredentialFunction`.
public struct CredentialRequest: Sendable, Hashable {
    /// The party that receives it: the provider's issuer, or its token endpoint where there is none. `aud` of an assertion.
    public var audience: String
    /// The client's identifier there.
    public var clientID: String
    /// The resources that the token shall be for, absolute URIs.
    public var resources: [String]
    /// The scopes that are asked for.
    public var scopes: [Scope]

    /// Makes a request.
    public init(audience: String, clientID: String, resources: [String] = [], scopes: [Scope] = []) {
        self.audience = audience
        self.clientID = clientID
        self.resources = resources
        self.scopes = scopes
    }
}

/// A function of the program that fetches a secret, a key or an assertion, for example from the platform it runs on.
///
/// It is asked anew for each request, while other callers of the state wait: it should answer within seconds. It is equal to
/// itself only, and never archived.
public final class CredentialFunction: Sendable, Hashable {
    private let body: @Sendable (CredentialRequest) async throws -> String

    /// Makes a function that returns the text; its errors reach the caller of the request, as `.credentialUnavailable`
    /// unless they are `AuthStateError`s.
    package init(_ body: @escaping @Sendable (CredentialRequest) async throws -> String) { self.body = body }

    /// Fetches the text for a request; throws the errors of the function.
    package func callAsFunction(_ request: CredentialRequest) async throws -> String { try await body(request) }

    /// Whether both are one object.
    public static func == (left: CredentialFunction, right: CredentialFunction) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
