import AuthStateKit
import Foundation
import Testing

extension ProviderTests {
    struct PersistenceTests {
        @Test("another state goes on where the first one stopped", arguments: Provider.all)
        func restore(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            var flow = try Flow(provider)
            flow.store = FileAuthStateStore(folder: folder.path)
            let first = try await flow.logIn()
            let second = try await restored(folder, flow)
            #expect(second.record == first.record)
            let renewed = try await second.refresh().accessToken
            #expect(renewed != first.record.accessToken)
            #expect(try await restored(folder, flow).record.accessToken == renewed)
        }

        @Test(
            "a state that is behind adopts what another one has stored, and spends nothing", arguments: Provider.all
        )
        func adoption(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            var flow = try Flow(provider)
            flow.store = FileAuthStateStore(folder: folder.path)
            let first = try await flow.logIn()
            let second = try await restored(folder, flow)
            let renewed = try await second.refresh().accessToken
            // The refresh token in the first state's memory is spent. Were it used, the grant would be gone.
            try await first.setNeedsTokenRefresh()
            let requests = try await flow.tokenRequests()
            let next = try await first.freshTokens().accessToken
            #expect(next != renewed)
            #expect(try await flow.tokenRequests() == requests + 1)
            #expect(try await restored(folder, flow).record.accessToken == next)
        }

        @Test("the client's secret is not on disk, and no other user can read what is", arguments: Provider.all)
        func file(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            let path = folder("state.json")
            let secret = "s3cret"
            let store = FileAuthStateStore(file: path)
            var flow = try Flow(provider).client("basic", .secret(secret, method: .clientSecretBasic))
            flow.store = store
            let state = try await flow.logIn()
            #expect(try TemporaryFolder.permissions(of: path) == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(try #require(state.record.refreshToken)))
            #expect(!text.contains(secret))
            let withoutSecret = try await AuthState.restore(at: AuthState.Place(store, service: flow.service))
            let error = await #expect(throws: AuthStateError.self) { try await withoutSecret.refresh() }
            #expect(error?.code == .credentialUnavailable)
            let complete = try await AuthState.restore(
                at: AuthState.Place(store, service: flow.service), credential: flow.credential)
            #expect(try await complete.refresh().accessToken != state.record.accessToken)
        }

        @Test("a login that cannot be kept does not begin", arguments: [Provider.glewlwyd])
        func unwritable(_ provider: Provider) async throws {
            let folder = try TemporaryFolder()
            try folder.file("file")
            var flow = try Flow(provider)
            flow.store = FileAuthStateStore(folder: folder("file/below"))
            let error = await #expect(throws: AuthStateError.self) { try await flow.logIn() }
            #expect(error?.kind == .store)
            #expect(try await flow.tokenRequests() == 0)
        }

        private func restored(_ folder: TemporaryFolder, _ flow: Flow) async throws -> AuthState {
            try await AuthState.restore(
                at: AuthState.Place(FileAuthStateStore(folder: folder.path), service: flow.service))
        }
    }
}
