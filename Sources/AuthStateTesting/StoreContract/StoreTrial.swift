import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// The subject of a check of the contract: a store, another one on the same storage, and an unused key.
struct StoreTrial: Sendable {
    let store: any AuthStateStore
    let other: any AuthStateStore
    let patience: Duration
    let key = AuthStateKey(rawValue: "contract-\(UInt64.random(in: 0...UInt64.max))")

    /// A violation that a check found.
    struct Finding: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A key that begins as `key` does.
    func key(_ suffix: String) -> AuthStateKey { AuthStateKey(rawValue: key.rawValue + suffix) }

    /// Runs a transaction of the first store on `key`.
    nonisolated(nonsending) func lease<R>(
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await store.withLease(key, deadline: patience, body)
    }

    /// Replaces the stored content.
    @discardableResult
    func put(
        _ content: String, _ key: AuthStateKey? = nil, in store: (any AuthStateStore)? = nil
    ) async throws -> StoredAuthState.Version {
        try await (store ?? self.store).withLease(key ?? self.key, deadline: patience) { lease in
            try await lease.save(Data(content.utf8), expecting: try await lease.load()?.version)
        }
    }

    /// Adds one to the stored number, in a transaction that yields to others.
    func increment(in store: any AuthStateStore) async throws {
        try await store.withLease(key, deadline: .seconds(60)) { lease in
            let stored = try await lease.load()
            let number = stored.flatMap { Int(String(decoding: $0.archive, as: UTF8.self)) } ?? 0
            try await lease.reserve()
            await Task.yield()
            _ = try await lease.save(Data("\(number + 1)".utf8), expecting: stored?.version)
        }
    }

    /// The stored content, as the second store reads it.
    func text(_ key: AuthStateKey? = nil) async throws -> String? {
        try await other.load(key ?? self.key).map { String(decoding: $0.archive, as: UTF8.self) }
    }

    /// Expects this content; nil is nothing.
    func expect(_ content: String?, _ when: String, _ key: AuthStateKey? = nil) async throws {
        let found = try await text(key)
        try require(found == content, "\(when): \(content ?? "nothing") should be stored, not \(found ?? "nothing")")
    }

    func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws {
        guard condition else { throw Finding(finding()) }
    }

    /// Expects an error of the store with this code, with a hint.
    func expect(_ code: AuthStateError.Code, _ what: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as AuthStateError {
            return try require(
                error.code == code && error.stage == .store && error.hint != nil,
                "\(what) should throw \(code), of stage store and with a hint, not \(error)")
        }
        throw Finding("\(what) should throw \(code).")
    }

    /// Runs an operation that has to end at once.
    func soon<R: Sendable>(_ what: String, _ body: @escaping @Sendable () async throws -> R) async throws -> R {
        do { return try await withDeadline(patience, clock: ContinuousClock(), body) } catch is DeadlineExceeded {
            throw Finding("\(what) did not end.")
        }
    }
}
