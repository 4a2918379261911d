import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    struct RenewalTests {
        @Test("a renewal brings another access token and another refresh token", arguments: Provider.all)
        func rotation(_ provider: Provider) async throws {
            let state = try await Flow(provider).logIn()
            let before = state.record
            let tokens = try await state.refresh()
            let after = state.record
            #expect(tokens.accessToken == after.accessToken)
            #expect(after.accessToken != before.accessToken)
            #expect(after.refreshToken != nil && after.refreshToken != before.refreshToken)
            // glewlwyd sends no ID token with a renewal: the verified one stays.
            #expect((after.idToken == before.idToken) == (provider.software == .glewlwyd))
            #expect(try await state.userInfo().email == "alice@example.test")
            #expect(try await state.refresh().accessToken != tokens.accessToken)
        }

        @Test("callers at the same time share one renewal", arguments: Provider.all)
        func oneFlight(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            try await state.setNeedsTokenRefresh()
            let before = try await flow.tokenRequests()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await state.freshTokens().accessToken } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(try await flow.tokenRequests() == before + 1)
        }

        @Test("glewlwyd refuses a spent refresh token without a reason: the grant is kept, and left alone for a while")
        func spentWithoutReason() async throws {
            let flow = try Flow(.glewlwyd)
            let state = try await flow.logIn()
            let stale = flow.copy(of: state)
            try await state.refresh()
            let error = await #expect(throws: AuthStateError.self) { try await stale.refresh() }
            #expect(error?.code == .refusedWithoutReason && error?.kind == .reauthenticationRequired)
            #expect(stale.isAuthorized && stale.authorizationError == nil)
            try await stale.setNeedsTokenRefresh()
            let requests = try await flow.tokenRequests()
            let paused = await #expect(throws: AuthStateError.self) { try await stale.freshTokens() }
            #expect(paused?.code == .refusedWithoutReason && paused?.retryAfter != nil)
            #expect(try await flow.tokenRequests() == requests)
        }

        @Test(
            "a provider that says that the grant is gone is not asked again before the next login",
            arguments: [Provider.django, .doorkeeper])
        func spentInvalidGrant(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            let stale = flow.copy(of: state)
            try await state.refresh()
            let error = await #expect(throws: AuthStateError.self) { try await stale.refresh() }
            #expect(error?.code == .invalidGrant && error?.kind == .reauthenticationRequired)
            #expect(stale.authorizationError?.code == .invalidGrant && !stale.isAuthorized)
            let requests = await flow.transport.total
            let again = await #expect(throws: AuthStateError.self) { try await stale.freshTokens() }
            #expect(again?.code == .invalidGrant)
            #expect(await flow.transport.total == requests)
        }

        @Test("a token that the provider revoked is replaced once")
        func revokedToken() async throws {
            // Public clients cannot revoke at glewlwyd.
            let flow = try Flow(.glewlwyd).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await flow.logIn()
            let revoked = try #require(state.record.accessToken)
            try await revoke(revoked, .accessToken, of: flow)
            let before = try await flow.tokenRequests()
            #expect(try await state.userInfo().email == "alice@example.test")
            #expect(state.record.accessToken != revoked)
            #expect(try await flow.tokenRequests() == before + 1)
        }

        @Test("a token that was revoked with its grant cannot be replaced", arguments: [Provider.django, .doorkeeper])
        func revokedTokenAndGrant(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            try await revoke(try #require(state.record.accessToken), .accessToken, of: flow)
            let before = try await flow.tokenRequests()
            let error = await #expect(throws: AuthStateError.self) { try await state.userInfo() }
            #expect(error?.code == .invalidGrant)
            #expect(state.authorizationError?.code == .invalidGrant)
            #expect(try await flow.tokenRequests() == before + 1)
        }

        @Test(
            "a grant that the provider revoked ends with an error",
            arguments: [Provider.glewlwyd, .django, .doorkeeper])
        func revokedGrant(_ provider: Provider) async throws {
            let flow = try Flow(provider).client("basic", .secret("s3cret", method: .clientSecretBasic))
            let state = try await flow.logIn()
            try await revoke(try #require(state.record.refreshToken), .refreshToken, of: flow)
            let error = await #expect(throws: AuthStateError.self) { try await state.refresh() }
            #expect(error?.kind == .reauthenticationRequired)
        }

        private func revoke(_ token: String, _ hint: TokenTypeHint, of flow: Flow) async throws {
            let configuration = try await flow.configuration()
            try await flow.service.revoke(
                RevocationRequest(Client(configuration, id: flow.clientID), token: token, tokenTypeHint: hint).with(
                    flow.credential))
        }
    }

    @Suite(.running(Provider.shortLived), .serialized) struct ExpiryTests {
        @Test("tokens are used while they last, and renewed when they have expired", arguments: Provider.shortLived)
        func expiry(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            let first = try await state.withFreshToken { $0.accessToken }
            let requests = try await flow.tokenRequests()
            try await ended(state)
            let second = try await state.withFreshToken { $0.accessToken }
            #expect(second != first)
            #expect(try await flow.tokenRequests() == requests + 1)
            #expect(try await state.userInfo().email == "alice@example.test")
        }

        @Test("expired tokens are refused by the resource, and replaced once", arguments: Provider.shortLived)
        func refused(_ provider: Provider) async throws {
            let flow = try Flow(provider)
            let state = try await flow.logIn()
            // A program that does not know when the token expires learns it from the resource.
            var record = state.record
            record.lastTokenResponse?.accessTokenExpirationDate = nil
            let unaware = AuthState(record, service: flow.service, store: InMemoryAuthStateStore())
            try await ended(state)
            #expect(try await unaware.userInfo().email == "alice@example.test")
            #expect(unaware.record.accessToken != record.accessToken)
        }

        private func ended(_ state: AuthState) async throws {
            let end = try #require(state.record.accessTokenExpirationDate)
            // The provider counts from a moment later.
            try await eventually("the end of a token") { end.timeIntervalSinceNow < -0.5 ? () : nil }
            #expect(state.tokensIfFresh() == nil)
        }
    }
}
