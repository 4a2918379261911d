import AuthStateFoundation
import AuthStateJOSE
import AuthStateLibc
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

extension Attack {
    /// Stored states that another user or program wrote, and files with secrets that others can read.
    static let storedStates: [Attack] =
        [
            Attack(.storeOwnership) { try read(fileMode: 0o620) },
            Attack(.storeOwnership) { try read(fileMode: 0o602) },
            Attack(.storeOwnership) { try read(folderMode: 0o770) },
            Attack(.storeOwnership) {
                let place = try ScratchFolder()
                try write("", to: place["state.lock"], mode: 0o666)
                try withExtendedLifetime(place) { _ = try FileLock.attempt(place["state.lock"]) }
            },
            Attack(.storeLink) { try SharedLink().follow() },
            Attack(.storeLink) { try SharedLink().follow("state") },
            Attack(.secretFile) { try readSecret(mode: 0o644) },
            Attack(.secretFile) { try readSecret(mode: 0o620) },
        ]
        + endpoints.flatMap { endpoint in
            [
                // Known in memory alone, and nothing says to whom it belongs.
                Attack(.credentialOrigin) { try await send(.secret("s3cret"), to: endpoint) },
                // Bound to the provider, which the stored state no longer names.
                Attack(.credentialOrigin) {
                    try await send(.secret("s3cret").restricted(to: .configuration(service)), to: endpoint)
                },
                Attack(.credentialReference) { try await send(nil, naming: .environment("PATH"), to: endpoint) },
                Attack(.credentialReference) { try await send(nil, naming: .certificate(), to: endpoint) },
            ]
        } + [
            Attack(.credentialOrigin) {
                let key = ClientCredential.privateKey(environment: keyVariable)
                try await sign(with: key, allowing: [key.restricted(to: .configuration(service))])
            },
            Attack(.credentialReference) {
                try await sign(with: .privateKey(environment: keyVariable), allowing: [])
            },
            Attack(.credentialReference) {
                try await present(.assertion(environment: tokenVariable), allowing: [])
            },
            Attack(.credentialOrigin) {
                let token = ClientCredential.assertion(environment: tokenVariable)
                try await present(token, allowing: [token.restricted(to: .configuration(service))])
            },
            Attack(.secretFile) { try readAssertion("eyJhbGciOiJFUzI1NiJ9.e30.c2ln", mode: 0o664) },
            Attack(.secretFile) { try readAssertion("eyJhbGciOiJFUzI1NiJ9.e30.c2ln", mode: 0o646) },
            Attack(.assertionForm) { try readAssertion("s3cret") },
            Attack(.assertionForm) { try readAssertion(ClientKeys.pkcs8) },
            Attack(.workloadAudience) { try presentSVID(["aud": "https://other.example"]) },
            Attack(.workloadAudience) { try presentSVID(["aud": ["https://op.example", "https://other.example"]]) },
            Attack(.workloadAudience) { try presentSVID([:]) },
        ]

    private static let service = ProviderConfiguration(
        authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://op.example/token")!)

    /// The endpoints of the attacker's at which a client proves itself.
    private enum Endpoint: CaseIterable { case token, revocation, introspection, pushedRequest, device, backchannel }
    private static let endpoints = Endpoint.allCases

    /// The attacker's endpoints, in the place of the provider's.
    private static let evil: ProviderConfiguration = {
        func url(_ path: String) -> URL { URL(string: "https://evil.example/\(path)")! }
        return ProviderConfiguration(
            issuer: try? Issuer("https://op.example"), authorizationEndpoint: url("authorize"),
            tokenEndpoint: url("token"), jwksURI: url("keys"), revocationEndpoint: url("revoke"),
            introspectionEndpoint: url("introspect"), deviceAuthorizationEndpoint: url("device"),
            pushedAuthorizationRequestEndpoint: url("par"), backchannelAuthenticationEndpoint: url("ciba"))
    }()

    /// The state that a program restores after another program changed what is stored.
    private static func restored(
        _ credential: ClientCredential?, _ options: AuthState.Options = .init(),
        _ change: (inout AuthState.Record) -> Void
    ) async throws -> AuthState.Record {
        let store = OpenStore()
        var record = AuthState.Record(Client(evil, id: "client"))
        change(&record)
        try await store.overwrite(with: record)
        return try await AuthState.restore(at: AuthState.Place(store, options: options), credential: credential)
            .record
    }

    /// Sends a request with the credential of a restored state; believed when it reaches the attacker.
    private static func send(
        _ credential: ClientCredential?, naming stored: ClientCredential = .none, to endpoint: Endpoint
    ) async throws {
        let record = try await restored(credential) { $0.client.credential = stored }
        let (transport, service) = server()
        let (client, configuration, proof) = (record.client.id, record.client.provider, record.client.credential)
        do {
            switch endpoint {
            case .token:
                let request = TokenRequest(Client(configuration, id: client), .refreshToken("r"))
                _ = try await service.perform(request.with(proof))
            case .revocation:
                let request = RevocationRequest(Client(configuration, id: client), token: "t")
                try await service.revoke(request.with(proof))
            case .introspection:
                let request = IntrospectionRequest(Client(configuration, id: client), token: "t")
                _ = try await service.introspect(request.with(proof))
            case .pushedRequest:
                let request = AuthorizationRequest(
                    Client(configuration, id: client), scopes: [],
                    redirectURI: try RedirectURI("https://app.example/cb"))
                _ = try await service.push(request.with(proof))
            case .device:
                let request = DeviceAuthorizationRequest(Client(configuration, id: client), scopes: [])
                _ = try await service.authorizeDevice(request.with(proof))
            case .backchannel:
                let request = BackchannelAuthenticationRequest(Client(configuration, id: client), hint: .login("ada"))
                _ = try await service.authorizeBackchannel(request.with(proof))
            }
        } catch {
            if !transport.requests.contains(where: { $0.method == "POST" }) { throw error }
        }
    }

    private static let (keyVariable, tokenVariable) = (TestVariable.name(), TestVariable.name())

    /// Asks for a token with an assertion that a service's key signs.
    private static func sign(with key: ClientCredential, allowing allowed: [ClientCredential]) async throws {
        setenv(keyVariable, ClientKeys.pkcs8, 1)
        var options = AuthState.Options()
        options.allowedCredentials = allowed
        let record = try await restored(nil, options) {
            $0.jwtBearer = JWTBearerGrant(issuer: "client", subject: nil, key: key)
        }
        let (transport, service) = server()
        let request = try #require(record.renewalRequest(.none))
        do { _ = try await service.perform(request.with(record.client.credential)) } catch {
            if !transport.requests.contains(where: { $0.method == "POST" }) { throw error }
        }
    }

    /// Asks for a token with an assertion that a platform gave the program.
    private static func present(_ assertion: ClientCredential, allowing allowed: [ClientCredential]) async throws {
        setenv(tokenVariable, "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", 1)
        var options = AuthState.Options()
        options.allowedCredentials = allowed
        let record = try await restored(nil, options) { $0.assertionGrant = AssertionGrant(assertion) }
        let (transport, service) = server()
        let request = try #require(record.renewalRequest(.none))
        do { _ = try await service.perform(request) } catch {
            if !transport.requests.contains(where: { $0.method == "POST" }) { throw error }
        }
    }

    private static func server() -> (ScriptedTransport, AuthorizationService) {
        let transport = ScriptedTransport(then: .json(#"{"keys":[]}"#))
        return (transport, AuthorizationService(transport: transport))
    }

    private static func write(_ text: String, to path: String, mode: mode_t) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, mode)
    }

    private static func read(fileMode: mode_t = 0o600, folderMode: mode_t = 0o700) throws {
        let place = try ScratchFolder()
        try write("{}", to: place["state"], mode: fileMode)
        chmod(place.path, folderMode)
        try withExtendedLifetime(place) {
            _ = try StateFile(resolving: place["state"], warnings: FileWarnings(report: nil)).read()
        }
    }

    /// A link of another user in the folder for temporary files, which every user can write.
    final class SharedLink: Sendable {
        let path: String
        /// A user to whom the link does not belong.
        let user: uid_t = 4242

        init(to target: String = "/nonexistent/authorized_keys") throws {
            path = "/tmp/authstate-link-\(UInt64.random(in: 0...UInt64.max))"
            symlink(target, path)
            if geteuid() == 0 { lchown(path, 65534, 65534) }
        }

        deinit { unlink(path) }

        /// Takes the path of the link, or one below it, for that of a state.
        @discardableResult
        func follow(_ name: String? = nil) throws -> String {
            try FilePath.resolved(name.map { "\(path)/\($0)" } ?? path, user: user)
        }
    }

    private static func readSecret(mode: mode_t) throws {
        let place = try ScratchFolder()
        try write("s3cret", to: place["secret"], mode: mode)
        try withExtendedLifetime(place) { _ = try ClientCredential.file(place["secret"]).secret(stage: .token) }
    }

    /// A client shows the provider a token of its workload that another server accepts too.
    private static func presentSVID(_ claims: JSONValue) throws {
        let token = try JSONWebToken.sign(claims: claims, with: .generate(.es256))
        var provider = service
        provider.issuer = try Issuer("https://op.example")
        var credential = ClientCredential.assertion { _ in token }
        (credential.source, credential.method) = (.value(token), .spiffeJWT)
        _ = try credential.authentication(
            clientID: "worker", provider: provider, endpoint: provider.tokenEndpoint, now: Date(), stage: .token)
    }

    private static func readAssertion(_ text: String, mode: mode_t = 0o600) throws {
        let place = try ScratchFolder()
        try write(text, to: place["token"], mode: mode)
        try withExtendedLifetime(place) {
            _ = try ClientCredential.assertion(file: place["token"]).issuedAssertion(stage: .token)
        }
    }
}
