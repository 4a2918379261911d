public import AuthStateFoundation
import AuthStateOAuth

/// A stored state as a list of its store shows it: where it is and when it was saved last.
public struct AuthStateEntry: Sendable, Hashable {
    /// The state's key, or one that stands for it, see `AuthStateKey.init(digest:)`.
    public var key: AuthStateKey
    /// The time of the last save, by the store's clock.
    public var savedAt: Date
    /// The version that was saved then.
    public var version: StoredAuthState.Version

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - key: The state's key, or one that stands for it, see `AuthStateKey.init(digest:)`.
    ///   - savedAt: The time of the last save, by the store's clock.
    ///   - version: The version that was saved then.
    public init(key: AuthStateKey, savedAt: Date, version: StoredAuthState.Version) {
        (self.key, self.savedAt, self.version) = (key, savedAt, version)
    }
}

extension AuthStateStore {
    /// Throws: the store does not list its states.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        throw AuthStateError(
            .invalidArgument, stage: .store, "This store does not list its states.",
            expected: "a store that implements entries(savedBefore:)",
            hint: "Delete abandoned states where they are kept.")
    }
}
