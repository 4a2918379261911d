import ArgumentParser
import AuthStateKit

/// How a client authenticates, and its private key.
struct KeyOptions: ParsableArguments {
    /// How the secret is sent, or an assertion signed.
    enum AuthMethod: String, ExpressibleByArgument, CaseIterable {
        case none, basic, post
        case secretJWT = "secret-jwt"
        case privateKeyJWT = "private-key-jwt"
        case spiffeJWT = "spiffe-jwt"
        case apple, tls
        case selfSignedTLS = "self-signed-tls"

        var method: ClientAuthenticationMethod {
            switch self {
            case .none: .none
            case .basic: .clientSecretBasic
            case .post: .clientSecretPost
            case .secretJWT: .clientSecretJWT
            case .privateKeyJWT: .privateKeyJWT
            case .spiffeJWT: .spiffeJWT
            case .apple: .clientSecretPost
            case .tls: .tlsClientAuth
            case .selfSignedTLS: .selfSignedTLSClientAuth
            }
        }

        /// Whether it needs the client's secret.
        var needsSecret: Bool { [.basic, .post, .secretJWT].contains(self) }

        /// Whether it needs a private key to sign with.
        var needsKey: Bool { self == .privateKeyJWT || self == .apple }

        /// Whether the client authenticates by the connection's certificate.
        var needsCertificate: Bool { self == .tls || self == .selfSignedTLS }
    }

    @Option(
        help: ArgumentHelp(
            "How the client authenticates. Default: what goes with the secret, key or certificate that is given, basic "
                + "first; else none.", valueName: "method"))
    var authMethod: AuthMethod?

    @Option(
        help: ArgumentHelp("The file with the client's private key: PEM or JWK.", valueName: "file"),
        transform: FileName.expanded)
    var privateKey: String?

    @Option(name: .customLong("key-id"), help: ArgumentHelp("The name of the private key (kid).", valueName: "id"))
    var keyID: String?

    func validate() throws {
        if keyID != nil, privateKey == nil { throw ValidationError("--key-id goes with --private-key.") }
        if privateKey?.isEmpty == true { throw ValidationError("--private-key has to name a file.") }
        if let authMethod, authMethod.needsKey, privateKey == nil {
            throw ValidationError("--auth-method \(authMethod.rawValue) needs --private-key.")
        }
    }

    /// Refuses options that a client cannot register with.
    func validateForRegistration() throws {
        if let authMethod, authMethod == .apple || authMethod == .spiffeJWT || authMethod.needsCertificate {
            throw ValidationError("--auth-method \(authMethod.rawValue) is not for clients that register themselves.")
        }
    }

    /// Writes the client's authentication into its metadata, as far as the options name it.
    func apply(to metadata: inout ClientMetadata) throws {
        if let authMethod { metadata.tokenEndpointAuthMethod = authMethod.method }
        guard let credential else { return }
        if authMethod == nil { metadata.tokenEndpointAuthMethod = .privateKeyJWT }
        metadata.keys = [try credential.publicKey()]
        metadata.jwksURI = nil
    }

    /// The private key: only its path, from the root as later commands may run in another folder.
    var credential: ClientCredential? { privateKey.map { .privateKey(file: $0.absolutePath, keyID: keyID) } }
}
