import ArgumentParser
import AuthStateJOSE
import AuthStateKit
import AuthStatePlatform

/// The client, and how it authenticates.
struct ClientOptions: ParsableArguments {
    /// The audience of a signed assertion.
    enum AssertionAudience: String, ExpressibleByArgument, CaseIterable {
        case issuer, endpoint
    }

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The client's identifier.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("The environment variable with the client's secret.", valueName: "var"))
    var clientSecretEnv: String?

    @OptionGroup
    var key: KeyOptions

    @Option(
        help: ArgumentHelp(
            "The file with an assertion that another party signs, such as the token that a platform gives to its programs: "
                + "with --grant jwt-bearer the grant, else the client's proof. Only its path is kept.",
            valueName: "file"),
        transform: FileName.expanded)
    var assertionFile: String?

    @Option(help: ArgumentHelp("The environment variable with such an assertion.", valueName: "var"))
    var assertionEnv: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The developer's team at Apple, for --auth-method apple.", valueName: "id"))
    var teamID: String?

    @Option(
        name: .customLong("client-certificate"),
        help: ArgumentHelp(
            "The file with the client's certificate: PEM, for mutual TLS. Beside another --auth-method, for tokens that "
                + "are bound to it.", valueName: "file"),
        transform: FileName.expanded)
    var certificateFile: String?

    @Option(
        name: .customLong("client-certificate-key"),
        help: ArgumentHelp("The file with the certificate's private key: PEM.", valueName: "file"),
        transform: FileName.expanded)
    var certificateKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The audience of assertions (aud): the issuer, or the URL of the called endpoint. Default: issuer.",
            valueName: "whom"))
    var assertionAudience: AssertionAudience?

    @Option(
        name: .customLong("id-token-alg"),
        help: ArgumentHelp(
            "The one algorithm that signs ID tokens, such as HS256 for a client registered for it. Default: any with a "
                + "public key.", valueName: "alg"),
        transform: Self.algorithm)
    var idTokenAlgorithm: SignatureAlgorithm?

    @Option(
        name: .customLong("userinfo-alg"),
        help: ArgumentHelp(
            "The one algorithm that signs userinfo, such as HS256 for a client registered for it. Default: as ID tokens, "
                + "with a public key.", valueName: "alg"),
        transform: Self.algorithm)
    var userInfoAlgorithm: SignatureAlgorithm?

    @Flag(
        help: ArgumentHelp(
            "Sign the request for the provider's page (RFC 9101), with --private-key or the client's secret."))
    var requestObject = false

    @Flag(
        name: .customLong("register"),
        help: "Register a client first, unless one was registered here before, and use it.")
    var usesRegistration = false

    @Flag(
        help: "Register a client in place of the one that was registered here before, which the provider has forgotten."
    )
    var registerAnew = false

    /// Whether the client registers itself, or did so before.
    var register: Bool { usesRegistration || registerAnew }

    func validate() throws {
        if clientID?.isEmpty == true { throw ValidationError("--client-id must not be empty.") }
        if let name = clientSecretEnv, !name.isVariableName {
            throw ValidationError("--client-secret-env takes the name of a variable, not the secret.")
        }
        try checkIdentity()
        try checkProof()
        try checkAssertion()
        try checkCertificate()
        try checkApple()
        if assertionAudience != nil, credential(of: nil)?.signsAssertions != true {
            throw ValidationError("--assertion-audience goes with private-key-jwt and secret-jwt.")
        }
        if let idTokenAlgorithm, idTokenAlgorithm.rawValue.hasPrefix("HS"), !hasSecret {
            throw ValidationError("--id-token-alg \(idTokenAlgorithm.rawValue) needs \(secretOption).")
        }
        if let userInfoAlgorithm, userInfoAlgorithm.rawValue.hasPrefix("HS"), !hasSecret {
            throw ValidationError("--userinfo-alg \(userInfoAlgorithm.rawValue) needs \(secretOption).")
        }
        if requestObject, key.privateKey == nil, !hasSecret {
            throw ValidationError("--request-object needs --private-key or \(secretOption).")
        }
    }

    private func checkIdentity() throws {
        guard register else { return }
        let others = [("--client-id", clientID), ("--client-secret-env", clientSecretEnv)]
        if let option = others.first(where: { $0.1 != nil })?.0 {
            throw ValidationError("--register goes without \(option): the provider gives what the client needs.")
        }
    }

    private func checkProof() throws {
        // A key may sign requests of a client that authenticates otherwise.
        let hasKeyToProve = key.privateKey != nil && !requestObject
        if let method = key.authMethod {
            if method.needsSecret, !hasSecret {
                throw ValidationError("--auth-method \(method.rawValue) needs --client-secret-env.")
            }
            if !method.needsSecret, clientSecretEnv != nil {
                throw ValidationError("--auth-method \(method.rawValue) goes without --client-secret-env.")
            }
            if !method.needsKey, hasKeyToProve {
                throw ValidationError("--auth-method \(method.rawValue) goes without --private-key.")
            }
        } else if hasKeyToProve, clientSecretEnv != nil {
            throw ValidationError("--private-key goes without --client-secret-env.")
        }
    }

    private func checkAssertion() throws {
        try SecretVariable.check(assertionEnv, of: "--assertion-env")
        if assertionFile?.isEmpty == true { throw ValidationError("--assertion-file has to name a file.") }
        guard let assertionOption else {
            if key.authMethod == .spiffeJWT {
                throw ValidationError("--auth-method spiffe-jwt needs --assertion-file or --assertion-env.")
            }
            return
        }
        let others = [
            ("--assertion-env", assertionFile != nil && assertionEnv != nil), ("--register", register),
            ("--private-key", key.privateKey != nil && !requestObject),
        ]
        if let option = others.first(where: \.1)?.0 {
            throw ValidationError("\(assertionOption) goes without \(option).")
        }
    }

    private func checkCertificate() throws {
        if (certificateFile == nil) != (certificateKeyFile == nil) {
            throw ValidationError("--client-certificate and --client-certificate-key go together.")
        }
        let method = key.authMethod
        if method?.needsCertificate == true, certificateFile == nil {
            throw ValidationError("--auth-method \(method?.rawValue ?? "") needs --client-certificate.")
        }
        guard certificateFile != nil else { return }
        #if !os(Linux)
            throw ValidationError("--client-certificate is for Linux only.")
        #endif
        if provesByCertificate, clientSecretEnv != nil || key.privateKey != nil && !requestObject {
            throw ValidationError(
                "--client-certificate goes without --client-secret-env and --private-key, unless --auth-method says how they "
                    + "are used.")
        }
        if register { throw ValidationError("--register goes without --client-certificate.") }
    }

    private func checkApple() throws {
        guard key.authMethod == .apple else {
            if teamID != nil { throw ValidationError("--team-id goes with --auth-method apple.") }
            return
        }
        if teamID == nil || key.keyID == nil {
            throw ValidationError("--auth-method apple needs --team-id, --key-id and --private-key.")
        }
        if register { throw ValidationError("--register goes without --auth-method apple.") }
    }

    /// The reference to the assertion that another party signs; nil without one.
    var assertion: ClientCredential? {
        var assertion: ClientCredential? =
            assertionFile.map { .assertion(file: $0.absolutePath) } ?? assertionEnv.map { .assertion(environment: $0) }
        if key.authMethod == .spiffeJWT { assertion?.method = .spiffeJWT }
        return assertion
    }

    /// Whether the assertion is one of a user's identity, which the provider of an organization signs for another server (ID-JAG).
    var hasIdentityAssertion: Bool {
        // A pipe can be read once, by the login.
        var (status, bytes) = (stat(), Data?.none)
        if let path = assertionFile?.absolutePath, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            bytes = try? Data(contentsOf: URL(filePath: path))
        }
        let text =
            bytes.map { String(decoding: $0, as: UTF8.self) }
            ?? assertionEnv.flatMap { ProcessInfo.processInfo.environment[$0] } ?? ""
        guard let decoded = Base64URL.decode(text.prefix { $0 != "." }), let header = try? JSONValue(parsing: decoded)
        else { return false }
        return header["typ"]?.stringValue?.lowercased() == "oauth-id-jag+jwt"
    }

    /// The option that the assertion was given by.
    var assertionOption: String? {
        assertionFile.map { _ in "--assertion-file" } ?? assertionEnv.map { _ in "--assertion-env" }
    }

    /// What an assertion that proves the client goes without: the other proofs.
    var proofBesideAssertion: String? {
        if clientSecretEnv != nil { return "--client-secret-env" }
        if provesByCertificate { return "--client-certificate" }
        return key.authMethod.map { _ in "--auth-method" }
    }

    /// Whether the client authenticates by its certificate; beside another method the tokens are bound to it.
    private var provesByCertificate: Bool { certificateFile != nil && key.authMethod?.needsCertificate ?? true }

    /// Whether the client has a secret, or is going to get one.
    var hasSecret: Bool {
        clientSecretEnv != nil || register && (key.authMethod?.needsSecret ?? needsSecretToRegister)
    }

    /// Whether a client that registers needs a secret for its algorithms, and no option says how it authenticates.
    private var needsSecretToRegister: Bool {
        let isSymmetric = idTokenAlgorithm?.rawValue.hasPrefix("HS") == true
        return key.authMethod == nil && key.privateKey == nil && (isSymmetric || requestObject)
    }

    private var secretOption: String {
        register ? "a client that gets a secret: give --auth-method basic" : "--client-secret-env"
    }

    /// Names the client's algorithms in a registration, and asks for a secret where one of them needs it.
    func applyAlgorithms(to request: inout RegistrationRequest) {
        request.idTokenSignedResponseAlg = idTokenAlgorithm ?? request.idTokenSignedResponseAlg
        if needsSecretToRegister { request.tokenEndpointAuthMethod = .clientSecretBasic }
        // With a private key the provider learns the algorithm from the requests.
        if requestObject, key.privateKey == nil { request.requestObjectSigningAlg = .hs256 }
    }

    /// The credential: of the secret only the variable's name, of the key only the path; nil for a public client.
    ///
    /// - Parameter registration: The registration of a client that registered itself.
    func credential(of registration: RegistrationResponse?) -> ClientCredential? {
        if provesByCertificate { return .certificate(isSelfSigned: key.authMethod == .selfSignedTLS) }
        if key.authMethod == .apple, let teamID, let keyID = key.keyID, let file = key.privateKey {
            return .appleSecret(teamID: teamID, keyID: keyID, key: .file(file.absolutePath))
        }
        let usesKey = key.authMethod.map { $0 == .privateKeyJWT } ?? (clientSecretEnv == nil)
        if usesKey, let credential = key.credential { return credential }
        if let registration { return registration.credential }
        return clientSecretEnv.map { .environment($0, method: key.authMethod?.method) } ?? assertion
    }

    /// The credential that signs requests.
    func signingCredential(of registration: RegistrationResponse?) -> ClientCredential? {
        requestObject ? key.credential ?? credential(of: registration) : nil
    }

    /// Whether the client can authenticate.
    var isConfidential: Bool { credential(of: nil) != nil || register }

    /// The provider's endpoints, as this client has to use them; kept with the login.
    func adapt(_ configuration: ProviderConfiguration) -> ProviderConfiguration {
        var configuration = configuration
        if assertionAudience == .endpoint { configuration.tolerances.insert(.endpointAudience) }
        if let idTokenAlgorithm { configuration.idTokenPolicy.algorithms = [idTokenAlgorithm] }
        if let userInfoAlgorithm { configuration.userInfoAlgorithms = [userInfoAlgorithm] }
        return certificateFile == nil ? configuration : configuration.withCertificateEndpoints
    }

    private static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        let known = Set<SignatureAlgorithm>.asymmetric.union([.hs256, .hs384, .hs512])
        let algorithm = SignatureAlgorithm(rawValue: name)
        guard known.contains(algorithm) else {
            let names = known.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("This algorithm is not supported. Use one of \(names).")
        }
        return algorithm
    }
}

extension ClientCredential {
    /// Whether the client authenticates by assertions that it signs.
    fileprivate var signsAssertions: Bool { (method == .privateKeyJWT && !isAssertion) || method == .clientSecretJWT }
}

extension String {
    /// Letters, digits and underscores; anything else is likely to be a secret itself and is never repeated.
    var isVariableName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
    }
}
