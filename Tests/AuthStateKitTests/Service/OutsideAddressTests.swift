import AuthStateFoundation
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct OutsideAddressTests {
    private static let registration: JSONValue = [
        "client_id": "client", "registration_client_uri": "https://op.example/c", "registration_access_token": "token",
    ]

    private static func transport(_ document: [String: JSONValue?] = [:]) -> ScriptedTransport {
        ScriptedPages.transport([
            ScriptedPages.webFinger: ScriptedPages.descriptor("https://op.example"),
            ScriptedPages.openID: ScriptedPages.document(document),
            "https://op.example/token": ["access_token": "access", "token_type": "Bearer", "refresh_token": "refresh"],
        ])
    }

    private static func found(
        _ list: IssuerAllowList, _ transport: ScriptedTransport, _ policy: AddressPolicy? = nil
    ) async throws -> (AuthorizationService, ProviderConfiguration) {
        var configuration = AuthorizationService.Configuration()
        if let policy { configuration.outsideAddressPolicy = policy }
        let service = AuthorizationService(transport: transport, configuration: configuration)
        return (service, try await service.discoverConfiguration(identifier: "ada@example.com", allowedIssuers: list))
    }

    @Test("every request to a provider that a user named carries the policy, and tells the transport so")
    func everyRequest() async throws {
        let transport = Self.transport([
            "userinfo_endpoint": "https://op.example/userinfo",
            "device_authorization_endpoint": "https://op.example/device",
            "pushed_authorization_request_endpoint": "https://op.example/par",
        ])
        let (service, configuration) = try await Self.found(IssuerAllowList { _ in true }, transport)
        #expect(configuration.addressPolicy == .publicOnly)
        _ = try? await service.register(
            RegistrationRequest(configuration, redirectURIs: [RedirectURI("https://app.example/cb")]))
        let registration = try RegistrationResponse(
            TransportResponse(status: 201, body: Data(Self.registration.serialized())))
        _ = try? await service.readRegistration(
            registration, issuer: configuration.issuer, addressPolicy: configuration.addressPolicy)
        _ = try? await service.push(
            AuthorizationRequest(
                Client(configuration, id: "client"), scopes: [], redirectURI: RedirectURI("https://app.example/cb")))
        _ = try? await service.authorizeDevice(
            DeviceAuthorizationRequest(Client(configuration, id: "client"), scopes: []))
        let tokens = try await service.perform(TokenRequest(Client(configuration, id: "client"), .refreshToken("old")))
        _ = try? await service.revoke(RevocationRequest(Client(configuration, id: "client"), token: tokens.accessToken))
        _ = try? await service.introspect(
            IntrospectionRequest(Client(configuration, id: "client"), token: tokens.accessToken))
        _ = try? await service.keys(of: configuration, stage: .token)
        let record = AuthState.Record(Client(configuration, id: "client")).applying(.tokens(tokens))
        _ = try? await AuthState(record, service: service, store: InMemoryAuthStateStore()).userInfo()
        #expect(transport.requests.count == 11)
        #expect(transport.requests.allSatisfy { $0.addressPolicy == .publicOnly })
    }

    @Test("the policy is archived, so that a renewal holds to it")
    func renewal() async throws {
        let transport = Self.transport()
        let (service, configuration) = try await Self.found(IssuerAllowList { _ in true }, transport)
        let record = AuthState.Record(Client(configuration, id: "client")).applying(
            .tokens(TokenResponse(accessToken: "access", issuedAt: Date(), refreshToken: "refresh")))
        let data = try AuthStateArchive(record).data()
        let store = InMemoryAuthStateStore()
        let restored = try AuthStateArchive(data: data)
        let state = AuthState(restored.record, service: service, store: store)
        _ = try await state.refresh()
        #expect(transport.requests.last?.url.path == "/token")
        #expect(transport.requests.last?.addressPolicy == .publicOnly)
    }

    @Test("an issuer that the program's list names may be anywhere; only the user's host is held to public addresses")
    func named() async throws {
        let transport = Self.transport(["token_endpoint": "https://10.0.0.1/token"])
        let (_, configuration) = try await Self.found(["https://op.example"], transport)
        #expect(configuration.addressPolicy == .any)
        #expect(transport.requests.map(\.addressPolicy) == [.publicOnly, .any])

        let own = try await AuthorizationService(transport: transport).discoverConfiguration(
            issuer: "https://op.example")
        #expect(own.addressPolicy == .any && transport.requests.last?.addressPolicy == .any)
    }

    @Test func `a program turns the policy off for providers of an internal network`() async throws {
        let transport = Self.transport(["token_endpoint": "https://10.0.0.1/token"])
        let (_, configuration) = try await Self.found(IssuerAllowList { _ in true }, transport, .any)
        #expect(configuration.tokenEndpoint.absoluteString == "https://10.0.0.1/token")
        #expect(transport.requests.allSatisfy { $0.addressPolicy == .any })
    }

    @Test("a document that names a private address is refused, and the provider is not talked to")
    func privateEndpoint() async throws {
        let transport = Self.transport(["jwks_uri": "https://169.254.169.254/keys"])
        let error = await authError { try await Self.found(IssuerAllowList { _ in true }, transport) }
        #expect(error?.code == .addressNotAllowed && error?.kind == .configuration)
        #expect(error?.received == "https://169.254.169.254/keys")
        #expect(transport.requests.count == 2)
    }

    @Test("a login that a third party starts is held to the policy, where a rule allows the issuer")
    func thirdParty() async throws {
        for (list, policy) in [
            (IssuerAllowList { _ in true }, AddressPolicy.publicOnly), (["https://op.example"], .any),
        ] {
            let transport = Self.transport()
            let login = try ThirdPartyLogin(["iss": "https://op.example"], allowedIssuers: list)
            let found = try await AuthorizationService(transport: transport).discoverConfiguration(for: login)
            #expect(found.addressPolicy == policy && transport.requests.map(\.addressPolicy) == [policy])
        }
    }
}
