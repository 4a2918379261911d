package import AuthStateFoundation
import AuthStateJOSE

extension ProviderMetadata {
    /// Every endpoint that the document names.
    package var endpoints: [URL] { Self.endpointNames.compactMap(url) }

    /// Whether the provider's other document may name more: OpenID Connect Discovery leaves out what RFC 8414 defines.
    package var mayBeCompleted: Bool {
        ["registration_endpoint", "revocation_endpoint", "introspection_endpoint"].contains { url($0) == nil }
    }

    /// The document with the endpoints that only another one of the same issuer names, and how to log in to them.
    ///
    /// Where both name an endpoint, this document's stands; nothing else is copied. The caller has compared the issuers
    /// and checked the other document's endpoints.
    package func completed(by other: ProviderMetadata) throws -> ProviderMetadata {
        let missing = Self.endpointNames.filter { url($0) == nil && other.url($0) != nil }
        let added = other.document.filter { name, _ in
            missing.contains { name == $0 || name.hasPrefix("\($0)_auth_") }
        }
        return try ProviderMetadata(
            document: document.merging(added) { own, new in own == .null || own == "" ? new : own })
    }

    private static let endpointNames = members.filter { $0.value == .url }.map(\.key).sorted()
}
