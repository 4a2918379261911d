import AuthStateFoundation

/// A provider as the program itself names it.
public enum NamedProvider: Sendable, Hashable, CustomStringConvertible {
    /// Its issuer; the discovery document is read when its endpoints are needed, and kept for an hour.
    case issuer(String)
    /// Its endpoints, known beforehand.
    case configuration(ProviderConfiguration)
    /// A provider with known characteristics.
    case known(KnownProvider)

    /// The issuer, the name, or the token endpoint's origin.
    public var description: String {
        switch self {
        case .issuer(let issuer): issuer
        case .configuration(let configuration):
            configuration.issuer?.rawValue ?? URIReference(configuration.tokenEndpoint.absoluteString).origin
        case .known(let provider): provider.title
        }
    }
}
