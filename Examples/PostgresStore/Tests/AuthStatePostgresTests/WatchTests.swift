import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    @Suite(.withServer)
    struct Watching {
        let server: PostgresServer
        let other: PostgresAuthStateStore
        let key = freshKey()

        init() throws {
            server = try .current
            other = try server.store()
        }

        /// Runs a body while a store listens, which is known by its application's name.
        private func listening(_ body: (PostgresAuthStateStore, _ name: String) async throws -> Void) async throws {
            let name = "listener-\(UUID().uuidString)"
            let store = try server.store(name)
            let listener = Task { try await store.run() }
            try await isListening(name)
            try await body(store, name)
            listener.cancel()
            try await listener.value
            #expect(await store.watch(key) == nil)
        }

        private func isListening(_ name: String) async throws {
            try await eventually("the store listens") {
                try await server.sql(
                    """
                    SELECT 1 FROM pg_stat_activity
                    WHERE application_name = '\(name)' AND query = 'LISTEN auth_states' AND state = 'idle'
                    """) == "1" ? true : nil
            }
        }

        /// The number of a watch, once it is stable: the server knows of the listener before the store does.
        private func settled(_ watch: any AuthStateWatch) async throws -> UInt64 {
            try await eventually("the number stands still") {
                let number = watch.generation
                return number < .max / 2 ? number : nil
            }
        }

        @Test("there is no watch without a listener")
        func notRunning() async throws { #expect(await other.watch(key) == nil) }

        @Test("every change of the key is reported; leases and other keys are not")
        func changes() async throws {
            let version = try await other.put("one", key)
            try await listening { store, _ in
                let watch = try #require(await store.watch(key))
                let first = try await settled(watch)
                try await other.put("elsewhere", freshKey())
                try await other.withLease(key, deadline: .seconds(5)) { try await $0.reserve() }

                let mark = try #require(await store.watch("mark"))
                let before = mark.generation
                try await other.put("mark", "mark")
                try await eventually("the mark is heard") { mark.generation != before ? true : nil }
                #expect(watch.generation == first, "what came before the mark was none of this key's")

                try await other.withLease(key, deadline: .seconds(5)) { lease in
                    _ = try await lease.save(Data("two".utf8), expecting: version)
                }
                try await eventually("a save is heard") { watch.generation != first ? true : nil }
                let second = watch.generation
                try await server.sql("DELETE FROM auth_states WHERE key = \(server.literal(key))")
                try await eventually("a delete by hand is heard") { watch.generation != second ? true : nil }
            }
        }

        @Test("a state notices a logout in another process at its next use, without polling")
        func noticing() async throws {
            let provider = try await OpenIDProvider()
            let service = AuthorizationService()
            let request = AuthorizationRequest(
                Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"))
            let theirs = try await AuthState.logIn(
                .browser(request, DirectUserAgent()), at: AuthState.Place(other, key: key, service: service))
            try await listening { store, _ in
                var options = AuthState.Options()
                options.storeCheckInterval = .seconds(3600)
                let mine = try await AuthState.restore(
                    at: AuthState.Place(store, key: key, service: service, options: options))
                _ = try await mine.freshTokens()
                #expect(await theirs.logOut(.local).failures.isEmpty)
                try await eventually("the logout is heard") {
                    do { _ = try await mine.freshTokens() } catch is AuthStateError { return true }
                    return nil
                }
                #expect(!mine.isAuthorized)
            }
        }

        @Test("while the connection is lost the number changes, and the store reconnects")
        func reconnection() async throws {
            try await listening { store, name in
                let watch = try #require(await store.watch(key))
                let first = try await settled(watch)
                try await server.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
                try await eventually("the loss is noticed") { watch.generation != first ? true : nil }
                try await isListening(name)
                let second = try await settled(watch)
                try await other.put("one", key)
                try await eventually("a save is heard") { watch.generation != second ? true : nil }
            }
        }

        @Test("without the triggers of the schema, run throws")
        func triggers() async throws {
            try await server.sql(
                "CREATE SCHEMA mute; CREATE TABLE mute.auth_states (LIKE public.auth_states);"
                    + " GRANT ALL ON SCHEMA mute TO authstate; ALTER TABLE mute.auth_states OWNER TO authstate")
            let store = try server.store(settings: "options='-c search_path=mute'")
            try await expectStoreError(.storeUnreadable) { try await store.run() }
        }
    }
}
