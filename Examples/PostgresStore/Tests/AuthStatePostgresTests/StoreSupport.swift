import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import Foundation
import Testing

/// Every test runs against a real server; tests that change the whole server have one of their own.
@Suite(.wherePostgresIsInstalled, .timeLimit(.minutes(5 + 2 * Load.minutes)))
struct PostgresTests {}

extension AuthStateStore {
    /// Adds one to the number in the archive, as a transaction.
    func increment(_ key: AuthStateKey) async throws {
        try await withLease(key, deadline: .seconds(60)) { lease in
            let stored = try await lease.load()
            let number = stored.flatMap { Int(AuthStatePostgresTests.text($0.archive)) } ?? 0
            try await lease.reserve()
            _ = try await lease.save(Data("\(number + 1)".utf8), expecting: stored?.version)
        }
    }

    /// Replaces the stored content.
    @discardableResult
    func put(_ content: String, _ key: AuthStateKey) async throws -> StoredAuthState.Version {
        try await withLease(key, deadline: .seconds(20)) { lease in
            try await lease.save(Data(content.utf8), expecting: try await lease.load()?.version)
        }
    }

    /// The stored content, as text.
    func text(_ key: AuthStateKey) async throws -> String? {
        try await load(key).map { AuthStatePostgresTests.text($0.archive) }
    }
}

func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

/// A key that no other test uses.
func freshKey() -> AuthStateKey { AuthStateKey(rawValue: UUID().uuidString) }

/// Expects an error of the store with this code and returns it.
@discardableResult
func expectStoreError(
    _ code: AuthStateError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> AuthStateError {
    let error = await #expect(throws: AuthStateError.self, sourceLocation: sourceLocation) { try await body() }
    let found = try #require(error, sourceLocation: sourceLocation)
    #expect(found.code == code, "\(found)", sourceLocation: sourceLocation)
    #expect(found.stage == .store && found.hint != nil, "\(found)", sourceLocation: sourceLocation)
    #expect(!"\(found)".contains("authstate-secret"), sourceLocation: sourceLocation)
    return found
}
