import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting

@testable import AuthStateKit
@testable import AuthStateResource
@testable import AuthStateServer

extension Attack {
    /// Resources, and servers that they name, which would lead a user or a token to another party.
    static let resources: [Attack] = lists.flatMap { $0 }

    private static let lists: [[Attack]] = [
        ["https://evil.example/v1", "https://api.example", "https://api.example/v1/", "https://API.example/v1"].map {
            name in
            Attack(.resourceName) {
                try describe(name).check(for: ResourceIdentifier("https://api.example/v1"), from: .path)
            }
        },
        [
            Attack(.resourceName) {
                // The root speaks for the whole host or for the resource that it was asked about, not for another one.
                try describe("https://api.example/v2").check(
                    for: ResourceIdentifier("https://api.example/v1"), from: .root)
            },
            Attack(.resourceName) {
                try describe("https://api.example/v2").check(
                    for: ResourceIdentifier("https://api.example/v1"), from: .path, tolerances: [.parentResource])
            },
        ],
        [nil, ["plain"], ["s256"]].map { methods in
            Attack(.promisedPKCE) { try await discoverServer(["code_challenge_methods_supported": methods]) }
        },
        [
            Attack(.resourceClient) {
                try choose(.known("app", credential: .secret("s"), issuer: "https://op.example"))
            },
            Attack(.resourceClient) { try choose(.known("app", issuer: "https://evil.example/tenant")) },
            Attack(.resourceClient) { try choose(.known("app"), bound: ["app": "https://op.example"]) },
            Attack(.resourceClient) {
                let svid = ClientCredential.assertion(file: "/svid")
                try choose(.document(ResourceMixUp.document, credential: svid, issuer: "https://op.example"))
            },
            Attack(.ownAnswers) { try await ResourceMixUp.logIn([.document(ResourceMixUp.document)]) },
            Attack(.ownAnswers) { try await ResourceMixUp.logIn([.known("app")]) },
            Attack(.ownAnswers) { try await ResourceMixUp.logIn([.known("app", credential: .secret("s"))]) },
            Attack(.ownAnswers) { try await ResourceMixUp.logInOnDevice(.document(ResourceMixUp.document)) },
            Attack(.ownAnswers) { try await ResourceMixUp.logInOnDevice(.known("app")) },
        ],
        ["https://evil.example/v1", "http://api.example/v1", "https://api.example:8443/v1"].map { url in
            Attack(.resourceOrigin) { try await send(to: url) }
        },
        [
            Attack(.publicAddress) { try await describe(at: "https://10.0.0.1/m") },
            Attack(.publicAddress) { try await describe(at: "https://localhost/m") },
            Attack(.publicAddress) {
                try await discoverServer([
                    "token_endpoint": "https://10.0.0.1/t", "code_challenge_methods_supported": ["S256"],
                ])
            },
            Attack(.endpointTLS) { try await describe(at: "http://api.example/m") },
            Attack(.endpointTLS) {
                _ = try ResourceAccess("http://api.example/v1", clients: [], store: InMemoryAuthStateStore())
            },
            Attack(.registrationIssuer) {
                try choose(.registering(.init(), initialAccessToken: "SECRET", issuer: "https://op.example"))
            },
            Attack(.registrationIssuer) {
                try choose(.registering(.init(), initialAccessToken: "SECRET", issuer: "https://evil.example//"))
            },
            Attack(.assertionIssuer) { try await present(for: "https://other.example") },
            Attack(.assertionIssuer) { try await present(for: "https://op.example/tenant") },
            Attack(.identityAssertionType) { try await identify(by: .accessToken) },
            Attack(.identityAssertionType) { try await identify(by: .jwt) },
            Attack(.resourceKey) { try await useLogin(of: "https://api.example/v2") },
            Attack(.resourceKey) { try await useLogin(of: nil) },
            Attack(.bearerMethod) {
                try describe("https://api.example/v1", methods: ["body", "query"]).check(
                    for: ResourceIdentifier("https://api.example/v1"), from: .path)
            },
            Attack(.bearerMethod) {
                try describe("https://api.example/v1", methods: []).check(
                    for: ResourceIdentifier("https://api.example/v1"), from: .path)
            },
            Attack(.chosenServer) { try await logIn { $0.chooseServer = { _ in try? Issuer("https://op.example") } } },
            Attack(.challengeOrigin) {
                try await stepUp(refusedBy: "https://evil.example/v1", for: ["one"], maximum: 2)
            },
            Attack(.challengeOrigin) {
                let evil = try endpoint("https://evil.example/v1")
                try await stepUp(for: ["one"], maximum: 2) { tokens in
                    let line = #"Bearer error="insufficient_scope", scope="write""#
                    try tokens.check(TransportResponse(status: 403, headers: ["WWW-Authenticate": line]), of: evil)
                }
            },
            Attack(.stepUpBound) { try await stepUp(for: ["one"], maximum: 0) },
            Attack(.stepUpBound) { try await stepUp(for: ["one", "two"], maximum: 1) },
            Attack(.pendingResource) { try await complete(for: ["https://api.evil.example/v1"]) },
            Attack(.pendingResource) { try await complete(for: []) },
            Attack(.pendingResource) { try await complete(for: ["https://api.example/v2"]) },
            Attack(.announcedLogin) { try await waitBesideCode(in: OpenStore()) },
            Attack(.announcedLogin) { try await waitBesideCode(for: "https://api.example/v2") },
            Attack(.announcedLogin) { try await waitBesideCode(knownAt: "https://other.example") },
            Attack(.deviceVerificationURI) { try await waitBesideCode(page: "file:///etc/passwd") },
            Attack(.deviceUserCode) { try await waitBesideCode("\u{1B}]0;owned\u{7}EVIL") },
            Attack(.sweptBinding) { try await logInAfterSweep() },
            Attack(.registeredIdentifier) { try await register(as: "https://app.example/client.json") },
            Attack(.signature) { try verify(by: SigningKey.generate(.es256)) },
            Attack(.signedMetadataKind) { try verify(["resource": .null, "aud": "app", "sub": "attacker"]) },
            Attack(.signedMetadataKind) { try verify(type: "at+jwt") },
            Attack(.signedMetadataTimes) { try verify(["exp": 1000]) },
            Attack(.signedMetadataTimes) { try verify(["exp": "never"]) },
            Attack(.signedMetadataTimes) { try verify(["nbf": 1001]) },
            Attack(.signedMetadataTimes) { try verify(["nbf": "now"]) },
        ],
        ["https://evil.example/client.json", "https://app.example/Client.json"].map { name in
            Attack(.documentClient) { try readDocument(["client_id": .string(name)]) }
        },
        [
            "http://app.example/client.json", "https://app.example/client.json#f", "https://u@app.example/client.json",
            "https://app.example/", "https://app.example/a/%2e%2e/client.json",
        ].map { url in Attack(.documentURL) { try readDocument(["client_id": .string(url)], at: url) } },
        [
            Attack(.documentSecret) { try readDocument(["client_secret": "s"]) },
            Attack(.documentSecret) {
                let key = try signer.get().privateKey.privateJSON
                try readDocument(["token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [key]]])
            },
            Attack(.documentMethod) { try readDocument(["token_endpoint_auth_method": "client_secret_basic"]) },
            Attack(.resourceForm) { _ = try ResourceIdentifier("https://api.example@evil.example/v1") },
            Attack(.resourceForm) { _ = try ResourceIdentifier("https://api.example/v1#f") },
        ],
    ]

    private static func readDocument(
        _ changes: [String: JSONValue], at url: String = "https://app.example/client.json"
    ) throws {
        let members: [String: JSONValue] = [
            "client_id": .string(url), "client_name": "App", "redirect_uris": ["http://127.0.0.1/callback"],
        ]
        let document = JSONValue.object(members.merging(changes) { $1 })
        _ = try ClientMetadataDocument(parsing: Data(document.serialized()), at: url)
    }

    private static let signer = Result { try SigningKey.generate(.es256) }

    /// A resource's signed metadata, at the second 1000.
    private static func verify(
        _ changes: [String: JSONValue] = [:], type: String = "JWT", by key: SigningKey? = nil
    ) throws {
        let claims: [String: JSONValue] = ["iss": "https://trust.example", "resource": "https://api.example"]
        let token = try JSONWebToken.sign(
            claims: .object(claims.merging(changes) { $1 }.filter { $0.value != .null }),
            header: ["typ": .string(type)], with: key ?? signer.get())
        _ = try ProtectedResourceMetadata(document: [
            "resource": "https://api.example", "signed_metadata": .string(token),
        ]).verified(
            by: ["https://trust.example": JSONWebKeySet(keys: [signer.get().publicKey])],
            now: Date(timeIntervalSince1970: 1000))
    }

    private static func describe(_ name: String, methods: [JSONValue]? = nil) throws -> ProtectedResourceMetadata {
        var document: [String: JSONValue] = [
            "resource": .string(name), "authorization_servers": ["https://evil.example"],
        ]
        document["bearer_methods_supported"] = methods.map(JSONValue.array)
        return try ProtectedResourceMetadata(document: document)
    }

    private static func describe(at url: String) async throws {
        let transport = ScriptedPages.transport([url: ["resource": "https://api.example/v1"]])
        let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["resource_metadata": url])
        _ = try await AuthorizationService(transport: transport).describe(
            ResourceIdentifier("https://api.example/v1"), challenge: challenge)
    }

    private static func discoverServer(_ changes: [String: JSONValue?]) async throws {
        let service = AuthorizationService(
            transport: ScriptedPages.transport([ScriptedPages.oauth: ScriptedPages.document(changes)]))
        _ = try await service.discoverAuthorizationServer(
            Issuer("https://op.example"), of: ResourceIdentifier("https://api.example/v1"))
    }

    /// A server that the resource names asks the program for its client.
    private static func choose(_ client: ResourceClient, bound: [String: String] = [:]) throws {
        let evil = try ProviderConfiguration(
            metadata: ProviderMetadata(document: [
                "issuer": "https://evil.example", "authorization_endpoint": "https://evil.example/a",
                "token_endpoint": "https://evil.example/t", "registration_endpoint": "https://evil.example/r",
                "response_types_supported": ["code"], "client_id_metadata_document_supported": true,
            ]), issuer: Issuer("https://evil.example"), kind: .authorizationServer)
        _ = try [client].choice(at: evil, bound: bound)
    }

    private static let tokens = ScriptedTransport(then: .json(#"{"access_token":"a","token_type":"Bearer"}"#))

    private static func client() throws -> Client {
        let provider = ProviderConfiguration(
            authorizationEndpoint: URL(string: "https://op.example/a"),
            tokenEndpoint: try endpoint("https://op.example/t"))
        return Client(provider, id: "app")
    }

    private static func endpoint(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw CancellationError() }
        return url
    }

    /// The key of a resource holds the login for another one.
    private static func useLogin(of other: String?) async throws {
        let service = AuthorizationService(transport: tokens)
        let store = InMemoryAuthStateStore()
        _ = try await AuthState.logIn(
            .clientCredentials(client()), at: AuthState.Place(store, key: "shared", service: service),
            annotations: other.map { [ResourceAccess.annotation: $0] } ?? [:])
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [], store: store, key: "shared", service: service)
        try await access.withFreshToken { _ in }
    }

    /// A login that began for other resources ends at this one's address.
    private static func complete(for resources: [String]) async throws {
        let service = AuthorizationService(transport: tokens)
        var request = AuthorizationRequest(
            try client(), scopes: [], redirectURI: try RedirectURI("https://app.example/callback"))
        request.resources = resources
        let pending = try await service.begin(request)
        let callback = AuthorizationCallback(url: "https://app.example/callback?code=c&state=\(request.state)")
        try await ResourceAccess(
            "https://api.example/v1", clients: [], store: InMemoryAuthStateStore(), service: service
        )
        .completeLogin(pending, callback: callback)
    }

    /// A program with a secret logs in at the server of a resource, which gives it the scope `read` alone.
    @discardableResult
    private static func logIn(
        server: JSONValue = "https://other.example", store: any AuthStateStore = InMemoryAuthStateStore(),
        _ change: (inout ResourceAccess.Options) -> Void
    ) async throws -> ResourceAccess {
        let transport = ScriptedPages.transport([
            "https://api.example/.well-known/oauth-protected-resource/v1": [
                "resource": "https://api.example/v1", "authorization_servers": [server],
            ],
            ScriptedPages.oauth: ScriptedPages.document(["code_challenge_methods_supported": ["S256"]]),
            "https://op.example/token": ["access_token": "a", "token_type": "Bearer", "scope": "read"],
        ])
        var options = ResourceAccess.Options()
        options.scopes = ["read"]
        change(&options)
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [.known("app", credential: .secret("s"))], login: .clientCredentials,
            store: store, service: AuthorizationService(transport: transport), options: options)
        try await access.logIn()
        return access
    }

    /// A sweep deletes what the store has of a login, so that the next server that the resource names gets the secret.
    private static func logInAfterSweep() async throws {
        let (store, service) = (InMemoryAuthStateStore(), AuthorizationService(transport: tokens))
        let access = try await logIn(server: "https://op.example", store: store) { _ in }
        try await access.authState()?.clear()
        let sweep = try await AuthStatePool(store: store, service: service).sweep(olderThan: .seconds(-1))
        guard sweep.deleted > 1 else {
            throw AuthStateError(.clientIssuerMismatch, stage: .registration, "The client belongs to another server.")
        }
    }

    /// A process waits for another one's login, and the code that is kept may be another program's, is for another resource or
    /// server, or cannot be shown.
    private static func waitBesideCode(
        _ code: String = "EVIL", page: String = "https://op.example/device",
        for resource: String = "https://api.example/v1", knownAt issuer: String? = nil,
        in store: any AuthStateStore = InMemoryAuthStateStore()
    ) async throws {
        struct Shown: Error {}
        var options = ResourceAccess.Options()
        options.maximumLoginWait = .zero
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [.known("app", issuer: issuer)], login: .device { _ in throw Shown() },
            store: store, key: "key", options: options)
        let kept = try ResourceAccess.Turn.announcement(
            of: DeviceAuthorizationResponse(
                request: DeviceAuthorizationRequest(try client()), deviceCode: "", userCode: code,
                verificationURI: endpoint(page), expiresAt: Date(timeIntervalSinceNow: 600)),
            for: ResourceIdentifier(resource))
        let archive = try AuthStateArchive(kept).data()
        try await store.withLease("key login", deadline: .zero) { lease in
            _ = try await lease.save(archive, expecting: nil)
            do { try await access.logIn() } catch is Shown {}
        }
    }

    /// A resource names a server that the program's assertion is not for.
    private static func present(for issuer: String) async throws {
        let transport = ScriptedPages.transport([
            "https://api.example/.well-known/oauth-protected-resource/v1": [
                "resource": "https://api.example/v1", "authorization_servers": ["https://op.example"],
            ],
            ScriptedPages.oauth: ScriptedPages.document([:]),
            "https://op.example/token": ["access_token": "a", "token_type": "Bearer"],
        ])
        let assertion = ClientCredential.assertion { _ in "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" }
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [], login: .assertion(assertion, issuer: issuer),
            store: InMemoryAuthStateStore(), service: AuthorizationService(transport: transport))
        try await access.logIn()
    }

    /// A provider issues another token than an assertion of the user's identity.
    private static func identify(by type: TokenTypeIdentifier) async throws {
        let transport = ScriptedTransport(
            then: .json(#"{"access_token":"a","token_type":"Bearer","issued_token_type":"\#(type)"}"#))
        var record = AuthState.Record(try client())
        record.lastTokenResponse = TokenResponse(accessToken: "a", tokenType: "Bearer", issuedAt: Date())
        record.idToken = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"
        let state = AuthState(
            record, service: AuthorizationService(transport: transport), store: InMemoryAuthStateStore())
        _ = try await state.identityAssertion(audience: "https://other.example")
    }

    /// Each operation is refused once for its lack of a scope that is never granted.
    private static func stepUp(
        refusedBy url: String = "https://api.example/v1", for operations: [String], maximum: Int,
        refuse: (Tokens) throws -> Void = { _ in }
    ) async throws {
        let access = try await logIn(server: "https://op.example") { $0.maximumStepUps = maximum }
        var refused: Set<String> = []
        for operation in operations {
            do {
                try await access.withFreshToken(operation: operation) { tokens in
                    guard refused.insert(operation).inserted else { return }
                    try refuse(tokens)
                    throw TokenRejected(
                        challenges: [#"Bearer error="insufficient_scope", scope="write""#], url: URL(string: url))
                }
            } catch let rejection as TokenRejected {
                // What another origin says is the caller's to handle.
                throw AuthStateError(rejection, canRenew: false)
            }
        }
    }

    /// A server gives the client that registers an identifier of its choice.
    private static func register(as id: String) async throws {
        let transport = ScriptedPages.transport([
            "https://api.example/.well-known/oauth-protected-resource/v1": [
                "resource": "https://api.example/v1", "authorization_servers": ["https://op.example"],
            ],
            ScriptedPages.oauth: ScriptedPages.document([
                "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
            ]),
            "https://op.example/register": ["client_id": .string(id)],
        ])
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [.document("https://app.example/client.json"), .registering(.init())],
            store: InMemoryAuthStateStore(), service: AuthorizationService(transport: transport))
        _ = try await access.beginLogin(redirectURI: RedirectURI("https://app.example/callback"))
    }

    private static func send(to url: String) async throws {
        let transport = ScriptedTransport(then: .json("{}"))
        let access = try ResourceAccess(
            "https://api.example/v1", clients: [], store: InMemoryAuthStateStore(),
            service: AuthorizationService(transport: transport))
        guard let url = URL(string: url) else { return }
        _ = try await access.performAction(TransportRequest(url: url))
    }
}
