public import AuthStateKit
import AuthStateStorage

/// The promises of every store, as checks for the tests of a store of your own.
///
/// ```swift
/// @Test(arguments: AuthStateStoreContract.checks)
/// func promise(_ check: AuthStateStoreContract.Check) async throws {
///     try await check.run(on: MyStore(table), and: MyStore(table))
/// }
/// ```
///
/// They test the documented behaviour of `AuthStateStore`, `AuthStateLease` and `AuthStateWatch`, and nothing that only
/// some stores can do.
public enum AuthStateStoreContract {
    /// All checks; each can run without the others.
    public static let checks: [Check] = [
        .loading, .keys, .archives, .savingOver, .savingLast, .deletingOver, .deleting, .reserving, .discarding,
        .exclusion, .deadline, .otherKeys, .cancelledWaiting, .failing, .ended, .cancelledSaving, .watching,
        .listing,
    ]

    /// One promise.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, in words.
        public let description: String
        private let body: @Sendable (StoreTrial) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (StoreTrial) async throws -> Void) {
            (self.description, self.body) = (description, body)
        }

        /// Checks whether a store keeps it; leaves behind its entries, under keys of its own.
        ///
        /// - Parameters:
        ///   - store: An empty store, or one whose contents no other party uses.
        ///   - other: Another object on the same storage, as another process has it, whose leases exclude those of the first;
        ///     nil when there is none, or when leases exclude their own process alone.
        /// - Throws: `Violation`; `CancellationError`.
        public func run(on store: any AuthStateStore, and other: (any AuthStateStore)? = nil) async throws {
            try await run(on: store, and: other, patience: .seconds(20))
        }

        /// - Parameter patience: How long to wait for an immediate event before it is a failure.
        func run(
            on store: any AuthStateStore, and other: (any AuthStateStore)? = nil, patience: Duration
        ) async throws {
            do { try await body(StoreTrial(store: store, other: other ?? store, patience: patience)) } catch {
                try Task.checkCancellation()
                throw Violation(promise: description, finding: "\(error)")
            }
        }
    }

    /// A promise that a store does not keep.
    public struct Violation: Error, CustomStringConvertible {
        /// The promise.
        public let promise: String
        /// The violation that the check found.
        public let finding: String

        /// The promise and the finding.
        public var description: String { "Not kept: \(promise). \(finding)" }
    }
}
