import AuthStateJOSE

extension RegistrationRequest {
    /// The request that registers the client as it is registered now: change it, and update the registration with it.
    ///
    /// An update replaces everything (RFC 7592, section 2.2): members that are left out are deleted. The client's keys
    /// are in `additionalMetadata`, as they are written there; `keys` replaces them.
    ///
    /// - Throws: `AuthStateError` with `.malformedResponse` when a member that has a property here is not of its type.
    public init(updating registration: RegistrationResponse, at provider: ProviderConfiguration) throws {
        self.init(provider, redirectURIs: [])
        metadata.applicationType = nil
        // Some providers write null, or an empty string, for a member that is not set.
        var rest = registration.metadata.filter { name, value in
            value != .null && value != "" && !ClientMetadata.notSent.contains(name)
        }
        for member in ClientMetadata.members {
            guard let value = rest.removeValue(forKey: member.name) else { continue }
            guard try member.take(value, &metadata) else { throw Self.unusable(member.name) }
        }
        metadata.additionalMetadata = rest
    }

    private static func unusable(_ name: String) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .registration, "The registration's \(name) cannot be used.",
            expected: "a value of the type that RFC 7591 says", received: "something else",
            hint: "Send an update with all metadata of your own.")
    }
}

extension ClientMetadata {
    /// The members that only the provider sets, and those that an update carries in another way (RFC 7592, section
    /// 2.2).
    static let notSent: Set<String> = [
        "client_id", "client_secret", "registration_access_token", "registration_client_uri",
        "client_secret_expires_at", "client_id_issued_at",
    ]
}
