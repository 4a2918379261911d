public import AuthStateJOSE

/// Where a client's secret, private key or assertion is and how it is used; each is referred to and never archived.
public struct ClientCredential: Sendable, Hashable, Redacted {
    /// The place of the secret, or of the private key when the method is `private_key_jwt`.
    public enum Source: Sendable, Hashable {
        /// A public client has none.
        case none
        /// The environment variable of this name.
        case environment(String)
        /// The file at this path: its first line, or all of it for a private key.
        case file(String)
        /// In the memory of this process only: a state restored elsewhere needs the credential again.
        case value(String)
        /// Fetched by a function of this process for each request: a state restored elsewhere needs the credential again.
        case function(CredentialFunction)
        /// Issued by dynamic registration, and archived with the state because it is kept nowhere else.
        case issued(String)
    }

    /// Where the secret or the private key is.
    public var source: Source
    /// How it is used; nil chooses from the methods that the provider's metadata list for a secret, HTTP Basic first.
    public var method: ClientAuthenticationMethod?
    /// `kid` of the private key; nil takes the one that a JWK has itself.
    public var keyID: String?
    /// The algorithm that signs assertions; nil chooses from those of key and provider, the key's usual one first.
    public var signingAlgorithm: SignatureAlgorithm?
    /// The claims of a secret that is signed anew for each request, by the private key that `source` then names.
    package var signedSecret: SignedClientSecret?
    /// Whether it is an assertion that another party signs, which is sent as it is.
    public var isAssertion = false
    /// The party that vouches for the endpoints that it is sent to.
    package var custody = Custody.request

    /// Makes a credential.
    public init(
        _ source: Source, method: ClientAuthenticationMethod? = nil, keyID: String? = nil,
        signingAlgorithm: SignatureAlgorithm? = nil
    ) {
        self.source = source
        self.method = method
        self.keyID = keyID
        self.signingAlgorithm = signingAlgorithm
    }

    /// The secret that Apple wants, made anew for each request and signed with the key that Apple's pages gave out.
    ///
    /// https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
    ///
    /// - Parameters:
    ///   - teamID: The ten characters of the developer's team.
    ///   - keyID: The ten characters of the key.
    ///   - key: Where the `.p8` file's content is; only the place is archived.
    public static func appleSecret(teamID: String, keyID: String, key: Source) -> Self {
        var credential = Self(key, method: .clientSecretPost, keyID: keyID, signingAlgorithm: .es256)
        credential.signedSecret = SignedClientSecret(issuer: teamID, audience: "https://appleid.apple.com")
        return credential
    }

    /// The client is known by the certificate of the connection, which the transport has (RFC 8705, section 2); of a
    /// self-signed one the provider knows the certificate itself instead of the authority behind it.
    public static func certificate(isSelfSigned: Bool = false) -> Self {
        Self(.none, method: isSelfSigned ? .selfSignedTLSClientAuth : .tlsClientAuth)
    }

    /// A public client.
    public static let none = ClientCredential(.none)

    /// The secret is in an environment variable; only its name is archived.
    public static func environment(_ name: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.environment(name), method: method)
    }

    /// The secret is the first line of a file; only its path is archived.
    public static func file(_ path: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.file(path), method: method)
    }

    /// The secret itself; it is never archived.
    public static func secret(_ secret: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.value(secret), method: method)
    }

    /// The private key is in a file that only its owner can read; only its path and the key's identifier are archived.
    ///
    /// - Parameters:
    ///   - path: PEM (PKCS #8, PKCS #1 or SEC 1, not encrypted), or a JWK as JSON.
    ///   - keyID: `kid`, by which the provider finds the public key.
    ///   - signingAlgorithm: The algorithm that signs assertions; nil chooses from those of the key and the metadata.
    public static func privateKey(
        file path: String, keyID: String? = nil, signingAlgorithm: SignatureAlgorithm? = nil
    ) -> Self {
        Self(.file(path), method: .privateKeyJWT, keyID: keyID, signingAlgorithm: signingAlgorithm)
    }

    /// The private key is in an environment variable, as a file would have it; only the name is archived.
    ///
    /// - Parameters:
    ///   - name: The variable's name.
    ///   - keyID: `kid`, by which the provider finds the public key.
    ///   - signingAlgorithm: The algorithm that signs assertions; nil chooses from those of the key and the metadata.
    public static func privateKey(
        environment name: String, keyID: String? = nil, signingAlgorithm: SignatureAlgorithm? = nil
    ) -> Self {
        Self(.environment(name), method: .privateKeyJWT, keyID: keyID, signingAlgorithm: signingAlgorithm)
    }

    /// An assertion that another party signs, in a file: a platform's token for its workloads (Kubernetes, SPIFFE; RFC
    /// 7521).
    ///
    /// It authenticates the client (RFC 7523, section 2.2), or is the grant itself (`AssertionGrant`). The platform replaces the
    /// file; each request reads it anew. Other users of the machine may read the file, as platforms mount it, but not write it.
    /// A provider may want it named as SPIFFE's: set `method` to `.spiffeJWT`.
    public static func assertion(file path: String) -> Self { assertion(.file(path)) }

    /// An assertion that another party signs, in an environment variable, see `assertion(file:)`.
    public static func assertion(environment name: String) -> Self { assertion(.environment(name)) }

    /// An assertion that a function of the program fetches, for example from a platform's metadata service, or in exchange for a
    /// user's ID token; it is for the request's audience, see `CredentialFunction`.
    public static func assertion(_ function: @escaping @Sendable (CredentialRequest) async throws -> String) -> Self {
        assertion(.function(CredentialFunction(function)))
    }

    private static func assertion(_ source: Source) -> Self {
        var credential = Self(source, method: .privateKeyJWT)
        credential.isAssertion = true
        return credential
    }

    /// The secret that a function of the program fetches, for example from a secret manager; it is never archived.
    ///
    /// It is not for tokens and requests that are signed with the secret itself (HS256).
    public static func fetched(
        method: ClientAuthenticationMethod? = nil,
        by function: @escaping @Sendable (CredentialRequest) async throws -> String
    ) -> Self {
        Self(.function(CredentialFunction(function)), method: method)
    }

    /// The private key itself, with its algorithm and identifier; it is never archived.
    public static func privateKey(_ key: SigningKey) -> Self {
        Self(
            .value(String(decoding: key.privateKey.privateJSON.serialized(), as: UTF8.self)), method: .privateKeyJWT,
            keyID: key.keyID, signingAlgorithm: key.algorithm)
    }

    /// Where the secret or the key is, never the secret or the key.
    public var description: String {
        if method?.usesCertificate == true { return "certificate of the connection" }
        if isAssertion { return source.description(of: "assertion") }
        return method == .privateKeyJWT || signedSecret != nil
            ? source.description(of: "private key") : source.description
    }
}

extension ClientCredential.Source: Redacted {
    /// The place, never the secret.
    public var description: String { description(of: "secret") }

    fileprivate func description(of thing: String) -> String {
        switch self {
        case .none: "public client"
        case .environment(let name): "\(thing) in the environment variable \(name)"
        case .file(let path): "\(thing) in the file \(path)"
        case .value: "\(thing) in memory"
        case .function: "\(thing) from a function of the program"
        case .issued: "\(thing) issued by registration"
        }
    }
}
