import AuthStateKit

/// The settings of a login that apply to later commands; kept in the state's annotations.
public struct Settings: Sendable, Equatable {
    /// Seconds that clocks may differ, and that tokens are renewed ahead of their expiry.
    var leeway: Double?
    /// Whether http is allowed for a provider that is not on this machine.
    var allowsInsecureHTTP = false
    /// A PEM file of authorities to trust besides the system's, as a path from the root.
    public internal(set) var certificateAuthorityFile: String?
    /// The redirect URI as it was asked for, port 0 included; the logout's default.
    var redirectURI: String?

    /// A PEM file of the client's certificate, as a path from the root.
    public internal(set) var clientCertificateFile: String?
    /// The key of that certificate.
    public internal(set) var clientCertificateKeyFile: String?
    /// How the tokens were obtained, other than by an authorization code.
    var grant: GrantType?
    /// The login's name.
    var profile: String?
    /// Whether the user chose that the login is not sealed, which a later login keeps.
    var isUnsealedByChoice = false
    /// The API that the login is for.
    var link = ResourceLink()

    /// The names that texts are kept under; the library writes the last one.
    private static let texts: [(String, any WritableKeyPath<Settings, String?> & Sendable)] = [
        ("authstate.ca-file", \.certificateAuthorityFile), ("authstate.client-certificate", \.clientCertificateFile),
        ("authstate.client-certificate-key", \.clientCertificateKeyFile), ("authstate.redirect-uri", \.redirectURI),
        ("authstate.profile", \.profile), ("authstate.client-metadata-url", \.link.documentURL),
        ("resource", \.link.resource),
    ]
    /// The names of settings that apply or do not.
    private static let marks: [(String, any WritableKeyPath<Settings, Bool> & Sendable)] = [
        ("authstate.allow-insecure-http", \.allowsInsecureHTTP), ("authstate.unsealed", \.isUnsealedByChoice),
        ("authstate.parent-resource", \.link.toleratesParent),
        ("authstate.allow-private-addresses", \.link.allowsPrivateAddresses),
    ]
    private static let (leewayName, grantName) = ("authstate.leeway", "authstate.grant")

    init() {}

    /// Reads the settings of a stored login.
    public init(annotations: [String: String]) {
        leeway = annotations[Self.leewayName].flatMap(Double.init).flatMap { (0...86_400).contains($0) ? $0 : nil }
        grant = annotations[Self.grantName].map(GrantType.init)
        for (name, setting) in Self.texts { self[keyPath: setting] = annotations[name] }
        for (name, setting) in Self.marks { self[keyPath: setting] = annotations[name] == "true" }
    }

    var annotations: [String: String] {
        var all: [String: String] = [:]
        all[Self.leewayName] = leeway.map { "\($0)" }
        all[Self.grantName] = grant?.rawValue
        for (name, setting) in Self.texts { all[name] = self[keyPath: setting] }
        for (name, setting) in Self.marks where self[keyPath: setting] { all[name] = "true" }
        return all
    }

    /// Settings from the command line; later commands may run in another folder, so the path becomes absolute.
    init(
        _ options: ConnectionOptions, client: ClientOptions? = nil, leeway: Double? = nil,
        grant: GrantType = .authorizationCode, redirectURI: String?, profile: String? = nil
    ) {
        clientCertificateFile = client?.certificateFile?.absolutePath
        clientCertificateKeyFile = client?.certificateKeyFile?.absolutePath
        self.leeway = leeway
        allowsInsecureHTTP = options.allowInsecureHTTP
        certificateAuthorityFile = options.certificateAuthorityFile?.absolutePath
        self.grant = grant == .authorizationCode ? nil : grant
        (self.redirectURI, self.profile) = (redirectURI, profile)
    }
}
