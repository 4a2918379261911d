import AuthStateKit

/// The settings of a login that apply to later commands; kept in the state's annotations.
public struct Settings: Sendable, Equatable {
    /// Seconds that clocks may differ, and that tokens are renewed ahead of their expiry.
    var leeway: Double?
    /// Whether http is allowed for a provider that is not on this machine.
    var allowsInsecureHTTP = false
    /// A PEM file of authorities to trust besides the system's, as a path from the root.
    var certificateAuthorityFile: String?
    /// The redirect URI as it was asked for, port 0 included; the logout's default.
    var redirectURI: String?

    /// PEM files of the client's certificate and its key, as paths from the root.
    var clientCertificateFile: String?
    var clientCertificateKeyFile: String?
    /// How the tokens were obtained, other than by an authorization code.
    var grant: GrantType?
    /// The login's name.
    var profile: String?
    /// Whether the user chose that the login is not sealed, which a later login keeps.
    var isUnsealedByChoice = false
    /// The API that the login is for.
    var link = ResourceLink()

    private enum Name {
        static let leeway = "authstate.leeway"
        static let allowsInsecureHTTP = "authstate.allow-insecure-http"
        static let certificateAuthorityFile = "authstate.ca-file"
        static let clientCertificateFile = "authstate.client-certificate"
        static let clientCertificateKeyFile = "authstate.client-certificate-key"
        static let grant = "authstate.grant"
        static let redirectURI = "authstate.redirect-uri"
        static let profile = "authstate.profile"
        static let isUnsealedByChoice = "authstate.unsealed"
    }

    init() {}

    /// Reads the settings of a stored login.
    public init(annotations: [String: String]) {
        leeway = annotations[Name.leeway].flatMap(Double.init).flatMap { (0...86_400).contains($0) ? $0 : nil }
        allowsInsecureHTTP = annotations[Name.allowsInsecureHTTP] == "true"
        certificateAuthorityFile = annotations[Name.certificateAuthorityFile]
        clientCertificateFile = annotations[Name.clientCertificateFile]
        clientCertificateKeyFile = annotations[Name.clientCertificateKeyFile]
        grant = annotations[Name.grant].map(GrantType.init)
        redirectURI = annotations[Name.redirectURI]
        profile = annotations[Name.profile]
        isUnsealedByChoice = annotations[Name.isUnsealedByChoice] == "true"
        link = ResourceLink(annotations: annotations)
    }

    var annotations: [String: String] {
        let all: [String: String?] = [
            Name.leeway: leeway.map { "\($0)" },
            Name.allowsInsecureHTTP: allowsInsecureHTTP ? "true" : nil,
            Name.certificateAuthorityFile: certificateAuthorityFile,
            Name.clientCertificateFile: clientCertificateFile,
            Name.clientCertificateKeyFile: clientCertificateKeyFile,
            Name.grant: grant?.rawValue,
            Name.redirectURI: redirectURI,
            Name.profile: profile,
            Name.isUnsealedByChoice: isUnsealedByChoice ? "true" : nil,
        ]
        return all.compactMapValues { $0 }.merging(link.annotations) { $1 }
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
        self.redirectURI = redirectURI
        self.profile = profile
    }
}
