import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

/// A provider whose client has to authenticate in one way; the names are those of the OpenID Foundation's tests for
/// relying parties.
@Suite(.timeLimit(.minutes(5))) struct ClientAuthenticationTests {
    private static let secret = "a secret of 32 bytes at the least"

    /// Logs in, renews and revokes, and returns what arrived at the token and the revocation endpoint.
    private func life(
        _ method: ClientAuthenticationMethod, _ credential: ClientCredential, keys: [JSONWebKey] = [],
        wantsEndpointAudience: Bool = false
    ) async throws -> [OpenIDProvider.Request] {
        let secret = method == .privateKeyJWT ? nil : Self.secret
        let fixture = try await ProviderFixture {
            $0.clients = [.init(id: "client", secret: secret, keys: keys, authenticationMethod: method)]
            $0.wantsEndpointAudience = wantsEndpointAudience
        }
        var request = fixture.request(client: "client")
        if wantsEndpointAudience { request.client.provider.tolerances = [.endpointAudience] }
        let state = try await fixture.logIn(request, credential: credential)
        let first = state.record.accessToken
        #expect(try await state.refresh().accessToken != first)
        let record = state.record
        let revocation = RevocationRequest(
            Client(record.client.provider, id: "client"), token: try #require(record.refreshToken))
        try await fixture.service.revoke(revocation.with(record.client.credential))
        #expect(await authError { try await state.refresh() }?.code == .invalidGrant)
        return Array(fixture.provider.requests(at: .token).prefix(2)) + fixture.provider.requests(at: .revocation)
    }

    /// Checks that requests carry an assertion each, every one new and signed with the algorithm.
    private func expectAssertions(
        in requests: [OpenIDProvider.Request], _ algorithm: SignatureAlgorithm,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(requests.count == 3, sourceLocation: sourceLocation)
        let tokens = try requests.map { request in
            #expect(request.parameters["client_id"] == "client" && request.parameters["client_secret"] == nil)
            #expect(request.headers["Authorization"] == nil, sourceLocation: sourceLocation)
            return try JSONWebToken(parsing: request.parameters["client_assertion"] ?? "")
        }
        #expect(Set(tokens.map { $0.claims["jti"]?.stringValue }).count == 3, sourceLocation: sourceLocation)
        #expect(tokens.allSatisfy { $0.header.algorithm == algorithm }, sourceLocation: sourceLocation)
    }

    @Test("the secret goes into a header, by choice and by default", arguments: [true, false])
    func rpTokenEndpointClientSecretBasic(_ isChosen: Bool) async throws {
        let requests = try await life(
            .clientSecretBasic, .secret(Self.secret, method: isChosen ? .clientSecretBasic : nil))
        #expect(requests.count == 3)
        for request in requests {
            #expect(request.headers["Authorization"]?.hasPrefix("Basic ") == true)
            #expect(request.parameters["client_secret"] == nil)
        }
    }

    @Test("the secret goes into the body")
    func rpTokenEndpointClientSecretPost() async throws {
        let requests = try await life(.clientSecretPost, .secret(Self.secret, method: .clientSecretPost))
        #expect(requests.count == 3)
        for request in requests {
            #expect(request.parameters["client_secret"] == Self.secret)
            #expect(request.headers["Authorization"] == nil)
        }
    }

    @Test("the secret signs assertions and is not sent")
    func rpTokenEndpointClientSecretJWT() async throws {
        let requests = try await life(.clientSecretJWT, .secret(Self.secret, method: .clientSecretJWT))
        try expectAssertions(in: requests, .hs256)
        for request in requests { #expect(!String(decoding: request.body, as: UTF8.self).contains(Self.secret)) }
    }

    @Test("a private key signs assertions", arguments: [SignatureAlgorithm.es256, .rs256, .ps256, .edDSA])
    func rpTokenEndpointPrivateKeyJWT(_ algorithm: SignatureAlgorithm) async throws {
        let key = try SigningKey.generate(algorithm, keyID: "k1")
        let requests = try await life(.privateKeyJWT, .privateKey(key), keys: [key.publicKey])
        try expectAssertions(in: requests, algorithm)
    }

    @Test("a provider that wants the called endpoint's URL as audience gets it, when that is tolerated")
    func endpointAudience() async throws {
        let key = try SigningKey.generate(.es256)
        let requests = try await life(
            .privateKeyJWT, .privateKey(key), keys: [key.publicKey], wantsEndpointAudience: true)
        let audiences = try requests.map {
            try JSONWebToken(parsing: $0.parameters["client_assertion"] ?? "").claims["aud"]?.stringValue
        }
        #expect(audiences.map { $0?.split(separator: "/").last } == ["token", "token", "revoke"])
    }

    @Test("a client that registers its public key logs in with its private one")
    func registration() async throws {
        let fixture = try await ProviderFixture()
        let key = try SigningKey.generate(.es256, keyID: "k1")
        var request = try fixture.registration()
        request.tokenEndpointAuthMethod = .privateKeyJWT
        #expect(await authError { try await fixture.service.register(request) }?.code == .invalidClientMetadata)
        request.keys = [key.privateKey]
        let client = try await fixture.service.register(request)
        #expect(client.clientSecret == nil)
        let login = fixture.request(client: client.clientID)
        #expect(try await fixture.logIn(login, credential: .privateKey(key)).isAuthorized)
        let keyless = await authError { try await fixture.logIn(login, credential: client.credential) }
        #expect(keyless?.code == .credentialUnavailable)
    }

    @Test func `a secret that was registered for assertions is used for them`() async throws {
        let fixture = try await ProviderFixture()
        var request = try fixture.registration()
        request.tokenEndpointAuthMethod = .clientSecretJWT
        request.tokenEndpointAuthSigningAlg = .hs512
        let client = try await fixture.service.register(request)
        let login = fixture.request(client: client.clientID)
        #expect(try await fixture.logIn(login, credential: client.credential).isAuthorized)
        let sent = try #require(fixture.provider.requests(at: .token).first?.parameters["client_assertion"])
        #expect(try JSONWebToken(parsing: sent).header.algorithm == .hs512)
    }
}
