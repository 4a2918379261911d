import AuthStateFoundation
import AuthStateJOSE
import AuthStateLibc
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct CredentialChoiceTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func service(
        methods: [String]? = nil, tolerances: Set<Tolerance> = [], aliases: JSONValue? = nil
    ) throws -> ProviderConfiguration {
        var document: [String: JSONValue?] = ["mtls_endpoint_aliases": aliases]
        document["token_endpoint_auth_methods_supported"] = methods.map { .array($0.map { .string($0) }) }
        let metadata = try ProviderMetadata(document: ScriptedPages.document(document).objectValue ?? [:])
        return try ProviderConfiguration(
            metadata: metadata, issuer: Issuer("https://op.example"), tolerances: tolerances)
    }

    private func request(
        _ credential: ClientCredential, _ service: ProviderConfiguration, clientID: String = "client"
    ) throws -> (form: Parameters, headers: TransportHeaders) {
        let authentication = try credential.authentication(
            clientID: clientID, provider: service, endpoint: service.tokenEndpoint, now: Self.now, stage: .token)
        let request = try TokenRequest(Client(service, id: clientID), .clientCredentials).transportRequest(
            authentication: authentication)
        let form = Parameters(decoding: String(decoding: request.body ?? Data(), as: UTF8.self))
        return (try #require(form), request.headers)
    }

    @Test(
        "HTTP Basic is form-encoded, and as it is for a provider that does not decode it",
        arguments: [([], "odd%3Aid:p%40ss%3Aw%25rd+%2B"), ([.unencodedBasic], nil)] as [(Set<Tolerance>, String?)])
    func basic(_ tolerances: Set<Tolerance>, _ pair: String?) throws {
        let service = try service(tolerances: tolerances)
        let credential = ClientCredential.secret("p@ss:w%rd +", method: .clientSecretBasic)
        if let pair {
            let headers = try request(credential, service, clientID: "odd:id").headers
            #expect(headers["Authorization"] == "Basic \(Base64.encode(Array(pair.utf8)))")
        } else {
            let headers = try request(credential, service).headers
            #expect(headers["Authorization"] == "Basic \(Base64.encode(Array("client:p@ss:w%rd +".utf8)))")
            // The first colon ends the identifier.
            let error = #expect(throws: AuthStateError.self) { try request(credential, service, clientID: "odd:id") }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func `a program can check at its start whether its secret or key can be read`() throws {
        let key = try SigningKey.generate(.es256)
        for credential in [
            .none, .secret("s3cret"), .environment("PATH"), .privateKey(key), .certificate(),
        ] as [ClientCredential] {
            try credential.checkAvailable()
        }
        let missing = "AUTHSTATE_UNSET_VARIABLE"
        for credential in [
            .environment(missing), .environment(missing, method: .clientSecretJWT), .file("/missing/\(missing)"),
            .privateKey(environment: missing), .privateKey(file: "/missing/\(missing)"), .secret(""),
            .privateKey(environment: "PATH"), .secret("-----BEGIN PRIVATE KEY-----", method: .clientSecretPost),
        ] as [ClientCredential] {
            let error = #expect(throws: AuthStateError.self, "\(credential)") { try credential.checkAvailable() }
            #expect(error?.code == .credentialUnavailable && error?.stage == .usage)
        }
    }

    @Test("a secret has no line break at its end, wherever it comes from", arguments: ["\n", "\r\n", "\n\n"])
    func lineBreak(_ end: String) throws {
        let name = TestVariable.name()
        setenv(name, "s3cret +\(end)", 1)
        let service = try service()
        for credential in [.environment(name), .secret("s3cret +\(end)")] as [ClientCredential] {
            let headers = try request(credential, service).headers
            #expect(headers["Authorization"] == "Basic \(Base64.encode(Array("client:s3cret+%2B".utf8)))")
        }
        setenv(name, end, 1)
        #expect(throws: AuthStateError.self) { try ClientCredential.environment(name).checkAvailable() }
    }

    @Test(
        "a secret's method is the first that both support",
        arguments: [
            (nil, "client_secret_basic"), (["client_secret_post"], "client_secret_post"),
            (["private_key_jwt", "client_secret_jwt"], "client_secret_jwt"),
            (["client_secret_post", "client_secret_basic"], "client_secret_basic"),
            (["none", "tls_client_auth"], "client_secret_basic"),
        ] as [([String]?, String)])
    func chosen(_ methods: [String]?, _ expected: String) throws {
        let service = try service(methods: methods)
        let credential = ClientCredential.secret("s3cret-s3cret-s3cret-s3cret-s3cret")
        let authentication = try credential.authentication(
            clientID: "client", provider: service, endpoint: service.tokenEndpoint, now: Self.now, stage: .token)
        #expect(authentication.method.rawValue == expected)
    }

    @Test(
        "a private key that is given for a secret signs, and is not sent",
        arguments: [
            ClientKeys.pkcs8, ClientKeys.jwk, "{\n\(ClientKeys.jwk.dropFirst())", "\n  \(ClientKeys.pkcs8)",
            " \(ClientKeys.jwk)",
        ])
    func keyForSecret(_ key: String) throws {
        let folder = try ScratchFolder()
        try Data(key.utf8).write(to: URL(fileURLWithPath: folder["key"]))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder["key"])
        for credential in [ClientCredential.secret(key), .file(folder["key"])] {
            let (form, headers) = try request(credential, service())
            #expect(form["client_assertion"] != nil && form["client_secret"] == nil)
            #expect(headers["Authorization"] == nil)
            #expect(try credential.requestSigningKey(provider: service()).algorithm == .es256)
            for method in [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost, .clientSecretJWT] {
                var insisting = credential
                insisting.method = method
                let error = #expect(throws: AuthStateError.self) { try request(insisting, service()) }
                #expect(error?.code == .credentialUnavailable)
            }
        }
    }

    @Test("a secret may look odd", arguments: ["{", "{abc}", "-----"].map { "\($0)1" })
    func oddSecret(_ secret: String) throws {
        #expect(try request(.secret(secret, method: .clientSecretPost), service()).form["client_secret"] == secret)
    }

    @Test(
        "with a certificate only the identifier is sent",
        arguments: [ClientCredential.certificate(), .certificate(isSelfSigned: true)])
    func certificate(_ credential: ClientCredential) throws {
        let (form, headers) = try request(credential, service())
        #expect(form.names == ["grant_type", "client_id"] && headers["Authorization"] == nil)
        #expect(credential.description == "certificate of the connection")
    }

    @Test("with a certificate requests go to the provider's aliases, and without to its endpoints")
    func aliases() async throws {
        let aliases: JSONValue = [
            "token_endpoint": "https://mtls.op.example/token", "revocation_endpoint": "https://mtls.op.example/revoke",
            "introspection_endpoint": "https://mtls.op.example/introspect", "userinfo_endpoint": "no URL",
        ]
        let service = try service(aliases: aliases)
        for (credential, host) in [(ClientCredential.certificate(), "mtls.op.example"), (.none, "op.example")] {
            let transport = ScriptedTransport([
                .json(#"{"access_token":"a","token_type":"Bearer"}"#), .json("{}"), .json(#"{"active":false}"#),
            ])
            let client = AuthorizationService(transport: transport)
            _ = try await client.perform(
                TokenRequest(Client(service, id: "client"), .clientCredentials).with(credential))
            try await client.revoke(RevocationRequest(Client(service, id: "client"), token: "a").with(credential))
            _ = try await client.introspect(
                IntrospectionRequest(Client(service, id: "client"), token: "a").with(credential))
            #expect(transport.requests.map { $0.url.host } == [host, host, host])
        }
        #expect(service.endpoints(for: .certificate()).userInfoEndpoint == service.userInfoEndpoint)
    }

    @Test("a client that proves itself otherwise goes to the aliases when its tokens shall be bound to a certificate")
    func certificateBound() async throws {
        let service = try service(aliases: ["token_endpoint": "https://mtls.op.example/token"])
        let transport = ScriptedTransport([.json(#"{"access_token":"a","token_type":"Bearer"}"#)])
        _ = try await AuthorizationService(transport: transport).perform(
            TokenRequest(Client(service.withCertificateEndpoints, id: "client"), .clientCredentials)
                .with(.privateKey(.generate(.es256))))
        let sent = try #require(transport.requests.first)
        #expect(sent.url.host == "mtls.op.example")
        let form = try #require(Parameters(decoding: String(decoding: sent.body ?? Data(), as: UTF8.self)))
        #expect(try JSONWebToken(parsing: form["client_assertion"] ?? "").claims["aud"] == "https://op.example")
    }

    @Test func `an alias without TLS, or on this machine, is refused like any endpoint`() async throws {
        for alias in ["http://mtls.op.example/token", "https://127.0.0.1/token"] {
            let service = try service(aliases: ["token_endpoint": .string(alias)])
            let error = await authError {
                _ = try await AuthorizationService(transport: ScriptedTransport()).perform(
                    TokenRequest(Client(service, id: "client"), .clientCredentials).with(.certificate()))
            }
            #expect(error?.code == .insecureURL)
        }
    }

    @Test("a registration names the method, and a key's place is the client's own")
    func registration() throws {
        func response(_ members: [String: JSONValue]) throws -> RegistrationResponse {
            try RegistrationResponse(Emulation.json(["client_id": "c"].merging(members) { _, new in new }))
        }
        let certificate = try response(["token_endpoint_auth_method": "tls_client_auth"]).credential
        #expect(certificate == .certificate())
        let key = try response([
            "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
        ]).credential(privateKey: .file("/k.pem"), keyID: "k")
        #expect(key == .privateKey(file: "/k.pem", keyID: "k", signingAlgorithm: .es256))
        let secret = try response(["client_secret": "s", "client_secret_expires_at": 0]).credential
        #expect(secret == ClientCredential(.issued("s")))
        #expect(try request(secret, service(methods: ["client_secret_post"])).form["client_secret"] == "s")
    }

    @Test func `ID tokens are held to the registration's algorithm, but never to none`() throws {
        func adapted(_ algorithm: JSONValue?) throws -> Set<SignatureAlgorithm> {
            var members: [String: JSONValue] = ["client_id": "c"]
            members["id_token_signed_response_alg"] = algorithm
            return try service().adapted(to: RegistrationResponse(Emulation.json(members))).idTokenPolicy.algorithms
        }
        #expect(try adapted("HS256") == [.hs256])
        #expect(try adapted("ES384") == [.es384])
        #expect(try adapted("none") == .asymmetric)
        #expect(try adapted(nil) == .asymmetric && adapted("") == .asymmetric)
    }
}
