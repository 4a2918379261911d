import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

/// The endpoint that answers in a hostile way, and how the library comes to ask it.
enum HostileEndpoint: String, Sendable, CaseIterable {
    case discovery, keys, token, renewal, userinfo, registration, management, revocation, introspection, device
    case backchannel, push

    /// The answer of an honest provider; every name and value in it that may be secret is marked.
    func honestBody(_ base: String) -> String {
        switch self {
        case .discovery:
            """
            {"issuer":"\(base)","authorization_endpoint":"\(base)/authorize","token_endpoint":"\(base)/token",\
            "jwks_uri":"\(base)/keys","registration_endpoint":"\(base)/register","revocation_endpoint":"\(base)/revoke",\
            "introspection_endpoint":"\(base)/introspect",\
            "response_types_supported":["code"],"subject_types_supported":["public"],\
            "id_token_signing_alg_values_supported":["RS256"]}
            """
        case .keys: #"{"keys":[]}"#
        case .token, .renewal:
            #"{"access_token":"SECRET-access-1","token_type":"Bearer","refresh_token":"SECRET-refresh-1"}"#
        case .userinfo: #"{"sub":"ada"}"#
        case .registration, .management:
            #"{"client_id":"client","client_secret":"SECRET-client","client_secret_expires_at":0}"#
        case .revocation: "{}"
        case .introspection: #"{"active":true}"#
        case .backchannel: #"{"auth_req_id":"SECRET-request","expires_in":600}"#
        case .device:
            """
            {"device_code":"SECRET-device","user_code":"WDJB-MJHT","verification_uri":"\(base)/device",\
            "expires_in":600}
            """
        case .push: #"{"request_uri":"urn:ietf:params:oauth:request_uri:SECRET","expires_in":60}"#
        }
    }

    /// Asks the endpoint, which is somewhere under `base`, and throws what a program would see.
    func ask(_ transport: any HTTPTransport, at base: String, limits: AuthorizationService.Configuration) async throws {
        let service = AuthorizationService(transport: transport, configuration: limits)
        let configuration = try Self.configuration(base)
        switch self {
        case .discovery: _ = try await service.discoverConfiguration(issuer: base)
        case .keys: _ = try await service.keys(of: configuration, stage: .token)
        case .token:
            _ = try await service.perform(TokenRequest(Client(configuration, id: "client"), .clientCredentials))
        case .renewal: try await Self.renew(service, configuration)
        case .userinfo:
            let response = TokenResponse(accessToken: "SECRET-access-0", issuedAt: Date(timeIntervalSince1970: 0))
            let tokens = Tokens(
                storage: Tokens.Storage(
                    response, of: AuthState.Record(Client(configuration, id: "client")), options: AuthState.Options(),
                    service: service))
            _ = try await service.userInfo(tokens, of: Client(configuration, id: "client"))
        case .registration:
            _ = try await service.register(RegistrationRequest(configuration, redirectURIs: []))
        case .management:
            let registration = try RegistrationResponse(
                TransportResponse(
                    status: 201,
                    body: Data(
                        """
                        {"client_id":"client","registration_client_uri":"\(base)/client",\
                        "registration_access_token":"SECRET-registration"}
                        """.utf8)))
            _ = try await service.readRegistration(registration, issuer: configuration.issuer)
        case .introspection:
            _ = try await service.introspect(
                IntrospectionRequest(Client(configuration, id: "client"), token: "SECRET-access-0"))
        case .device:
            _ = try await service.authorizeDevice(DeviceAuthorizationRequest(Client(configuration, id: "client")))
        case .backchannel:
            // Asked for no keys first.
            var direct = configuration
            direct.jwksURI = nil
            direct.idTokenPolicy.trustsTLS = true
            _ = try await service.authorizeBackchannel(
                BackchannelAuthenticationRequest(
                    Client(direct, id: "client"), hint: .loginToken("SECRET-hint"), userCode: "SECRET-code"))
        case .push:
            let request = AuthorizationRequest(
                Client(configuration, id: "client"), redirectURI: try RedirectURI("http://127.0.0.1/cb"))
            _ = try await service.push(request)
        case .revocation:
            try await service.revoke(RevocationRequest(Client(configuration, id: "client"), token: "SECRET-refresh-0"))
        }
    }

    private static func configuration(_ base: String) throws -> ProviderConfiguration {
        func url(_ path: String) throws -> URL { try #require(URL(string: base + path)) }
        return ProviderConfiguration(
            issuer: try Issuer(base), authorizationEndpoint: try url("/authorize"), tokenEndpoint: try url("/token"),
            jwksURI: try url("/keys"), userInfoEndpoint: try url("/userinfo"),
            registrationEndpoint: try url("/register"), revocationEndpoint: try url("/revoke"),
            introspectionEndpoint: try url("/introspect"),
            deviceAuthorizationEndpoint: try url("/device_authorization"),
            pushedAuthorizationRequestEndpoint: try url("/push"),
            backchannelAuthenticationEndpoint: try url("/backchannel"))
    }

    /// Renews; when that fails the tokens are as they were, in memory and in the store, and the refresh token is either
    /// the old one or the new one of the answer.
    private static func renew(_ service: AuthorizationService, _ configuration: ProviderConfiguration) async throws {
        let before = TokenResponse(
            accessToken: "SECRET-access-0", issuedAt: service.configuration.clock.now, refreshToken: "SECRET-refresh-0")
        let record = AuthState.Record(Client(configuration, id: "client")).applying(.tokens(before))
        var options = AuthState.Options()
        options.renewalRetries = 0
        let store = InMemoryAuthStateStore()
        let state = AuthState(record, service: service, store: store, options: options)
        do { try await state.refresh() } catch {
            let after = state.record
            #expect(after.isAuthorized && after.accessToken == "SECRET-access-0")
            #expect(["SECRET-refresh-0", "SECRET-refresh-1"].contains(after.refreshToken ?? ""))
            if let stored = try await store.load(.default) {
                let archived = try AuthStateArchive(data: stored.archive).record
                #expect(archived.refreshToken == after.refreshToken && archived.accessToken == after.accessToken)
            }
            throw error
        }
    }
}
