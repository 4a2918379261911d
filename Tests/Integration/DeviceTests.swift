import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    /// glewlwyd approves a device once it has walked through its own pages; django-oauth-toolkit shows a form for it.
    struct DeviceTests {
        static let providers = [Provider.glewlwyd, .glewlwydTLS, .django]

        /// The provider's endpoints; django-oauth-toolkit's OpenID document leaves the one for devices out.
        static func request(_ flow: Flow) async throws -> DeviceAuthorizationRequest {
            var configuration = try await flow.configuration()
            if flow.provider.provider.software == .djangoOAuthToolkit {
                #expect(configuration.deviceAuthorizationEndpoint == nil)
                configuration.deviceAuthorizationEndpoint = URL(
                    string: "\(flow.provider.issuer)/device-authorization/")
            }
            return DeviceAuthorizationRequest(
                Client(configuration, id: flow.clientID), scopes: [.openID, .profile, "offline_access"])
        }

        static func flow(_ provider: Provider) throws -> Flow {
            try Flow(provider).client(provider.software == .glewlwyd ? "public" : "device")
        }

        @Test("the user allows it: tokens, userinfo and a renewal", arguments: providers)
        func allowed(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            let state = try await AuthState.logIn(
                .device(try await Self.request(flow)) { response in
                    #expect(!response.userCode.isEmpty && response.interval == .seconds(1))
                    try await flow.browser.open(try #require(response.verificationURIComplete))
                }, at: AuthState.Place(flow.store, service: flow.service))
            let record = state.record
            #expect(state.isAuthorized && state.status.canRenew && record.refreshToken != nil)
            #expect(record.scope?.contains("profile") == true)
            // django-oauth-toolkit sends no ID token with this grant; glewlwyd sends one, without a nonce.
            #expect((record.idTokenTrust == .signature) == (provider.software == .glewlwyd))
            #expect(try await state.userInfo(UserInfoOptions()).name == "Alice Doe")
            let restored = try await AuthState.restore(at: AuthState.Place(flow.store, service: flow.service))
            #expect(try await restored.refresh().accessToken != record.accessToken)
        }

        @Test("a login is pending until the user decides: the provider is asked again", arguments: providers)
        func pending(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            let response = try await flow.service.authorizeDevice(try await Self.request(flow))
            let question = TokenRequest(
                Client(response.request.client.provider, id: flow.clientID), .deviceCode(response.deviceCode))
            func ask() async -> AuthStateError.Code? {
                await #expect(throws: AuthStateError.self) { try await flow.service.perform(question) }?.code
            }
            #expect(await ask() == .authorizationPending)
            var soon = await ask()
            // django-oauth-toolkit does not look at how often it is asked. glewlwyd counts in whole seconds, and one may
            // just have passed.
            if provider.software == .glewlwyd { for _ in 0..<20 where soon != .slowDown { soon = await ask() } }
            #expect(soon == (provider.software == .glewlwyd ? .slowDown : .authorizationPending))
            try await flow.browser.open(try #require(response.verificationURIComplete))
            #expect(try await flow.service.pollTokens(for: response).refreshToken != nil)
        }

        @Test("the user refuses", arguments: [Provider.django])
        func denied(_ provider: Provider) async throws {
            let flow = try Self.flow(provider)
            let error = await #expect(throws: AuthStateError.self) {
                try await AuthState.logIn(
                    .device(try await Self.request(flow)) {
                        try await flow.browser.open(try #require($0.verificationURIComplete), .decline)
                    }, at: AuthState.Place(flow.store, service: flow.service))
            }
            #expect(error?.code == .accessDenied)
            #expect(try await flow.store.login() == nil)
        }

        @Test("a confidential client proves who it is at both endpoints", arguments: [Provider.glewlwyd])
        func confidential(_ provider: Provider) async throws {
            let flow = try Flow(provider).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await AuthState.logIn(
                .device((try await Self.request(flow)).with(flow.credential)) {
                    try await flow.browser.open(try #require($0.verificationURIComplete))
                }, at: .memory(service: flow.service))
            #expect(state.isAuthorized)
            let error = await #expect(throws: AuthStateError.self) {
                try await flow.service.authorizeDevice((try await Self.request(flow)).with(.secret("wrong")))
            }
            #expect(error?.kind == .configuration)
        }
    }
}
