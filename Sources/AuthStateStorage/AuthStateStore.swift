public import AuthStateFoundation
public import AuthStateJOSE
import AuthStateOAuth

/// Keeps archived states, each under a key, for the next process and for others beside this one.
///
/// A renewal is a transaction on one key: lease, load, reserve, redeem at the provider, save, release. The lease excludes
/// every other holder, in this process and in others, and covers the HTTP call.
///
/// A custom store fulfils what is said here; `AuthStateStoreContract` in AuthStateTesting checks it. Its errors are
/// `AuthStateError`s of stage store, with a hint for a user.
public protocol AuthStateStore: Sendable {
    /// Reads a state; nil when there is none under the key.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; what is stored is left as it is. `.storeCorrupt` and `.storeTooNew` are for
    ///   contents that this program can never read: a logout discards them. Every other error is taken for one of the moment.
    func load(_ key: AuthStateKey) async throws -> StoredAuthState?

    /// Runs a transaction under a lease that excludes every other holder of the key.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - look: May be called when what is stored has changed while another holder has the lease; a result ends the wait, and
    ///     there is no transaction. A store that hears of no change never calls it; a store around another one passes it on.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R

    /// Lists the states whose last save was before a moment, in any order, for a sweep of those that are abandoned.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`, the default, when the store cannot list; of kind `.store`.
    func entries(savedBefore date: Date) async throws -> [AuthStateEntry]

    /// Begins to watch a key, so that a state notices at its next use, without reading, what another process stored.
    ///
    /// - Returns: A watch that reports changes; nil, the default, when the store has none and is read from time to
    ///   time.
    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)?

    /// Whether another program can have written what is stored: true, the default, is the cautious answer.
    ///
    /// Where it is true, a stored state decides neither which environment variable or file is read as the client's secret, nor
    /// where a secret is sent: the program says so, see `ClientCredential.restricted(to:)`. A store answers false only when
    /// no other user's program, or no program without its key, can write it: a file of the user's own, the keychain,
    /// sealed states. A store around another one forwards the answer.
    var mayBeWrittenByOthers: Bool { get }

    /// Returns the place of a key's state in words, for messages: for example the path of its file.
    ///
    /// Not the key itself: a server's key may be the secret of a session.
    func location(of key: AuthStateKey) -> String
}

extension AuthStateStore {
    /// Runs a transaction under a lease, and waits for it without a look at what other holders save.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R { try await withLease(key, deadline: deadline, whileWaiting: { nil }, body) }

    /// Returns nil: the store is read from time to time.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { nil }

    /// True: it is unknown which programs can write it.
    public var mayBeWrittenByOthers: Bool { true }

    /// Names no place: it is unknown where the store keeps its states.
    public func location(of key: AuthStateKey) -> String { "the store, under \(key.inWords)" }
}

/// Tells at any moment whether what is stored under a key may have changed; the watching ends with its last reference.
public protocol AuthStateWatch: AnyObject, Sendable {
    /// A number that changes whenever any writer may have changed the state; a false alarm costs one reading.
    ///
    /// Read at every use of a token, while locks of a state and of its pool are held: it neither blocks nor waits nor
    /// allocates, makes no callback, and uses no state or pool.
    var generation: UInt64 { get }

    /// Whether changes by other processes show; true, the default. If not, the store is read from time to time besides.
    var showsOtherProcesses: Bool { get }
}

extension AuthStateWatch {
    /// True: changes by other processes show.
    public var showsOtherProcesses: Bool { true }
}

/// Exclusive access to one key of a store, for as long as `withLease` runs its body; after it, `.invalidArgument`.
public protocol AuthStateLease: Sendable {
    /// Whether a holder died after `reserve`, and none has saved since: a refresh token that it was redeeming may be spent.
    ///
    /// False, the default, where it is unknown.
    var followsCrash: Bool { get }

    /// Reads the state again, now that no other holder can change it.
    func load() async throws -> StoredAuthState?

    /// Makes sure that a save will succeed, as far as can be known: space, permission, a writable row.
    ///
    /// Called before a refresh token is spent, so that nothing is redeemed that cannot be kept.
    func reserve() async throws

    /// Writes the state durably and returns its version, also in a task that was cancelled: it may be all that is left of
    /// a refresh token that is spent.
    ///
    /// - Parameters:
    ///   - archive: The state's archive, which the store returns byte for byte.
    ///   - expecting: The version that this replaces; nil when there was none.
    /// - Throws: `.storeConflict` when another version is stored.
    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version

    /// Writes the state as `save` does; the transaction has no step after it, unless it fails, or a login comes meanwhile.
    ///
    /// A store may release the lease with it, and so spare a step; the default, `save`, does not. What follows then has to be a save
    /// that another holder's is a conflict for, as for a lease that was lost.
    func saveLast(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version

    /// Removes the state; succeeds also when nothing is stored.
    ///
    /// - Throws: `.storeConflict` when another version is stored.
    func delete(expecting: StoredAuthState.Version?) async throws

    /// Removes the stored state, readable or not; succeeds also when nothing is stored.
    func discard() async throws
}

extension AuthStateLease {
    /// Loads the state, then deletes it: enough where everything that is stored can be loaded.
    public func discard() async throws {
        if let stored = try await load() { try await delete(expecting: stored.version) }
    }

    /// Saves: the lease is released when the transaction returns.
    public func saveLast(
        _ archive: Data, expecting: StoredAuthState.Version?
    ) async throws -> StoredAuthState.Version {
        try await save(archive, expecting: expecting)
    }

    package func save(
        _ archive: Data, expecting: StoredAuthState.Version?, isLast: Bool
    ) async throws -> StoredAuthState.Version {
        isLast
            ? try await saveLast(archive, expecting: expecting) : try await save(archive, expecting: expecting)
    }

    /// False: it is unknown.
    public var followsCrash: Bool { false }
}

/// An archive as a store keeps it.
public struct StoredAuthState: Sendable, Hashable {
    /// Tells two contents of the same key apart; opaque but to its store.
    public struct Version: RawRepresentable, Sendable, Hashable {
        /// The store's own text.
        public var rawValue: String
        /// Makes a version.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The archived state: JSON, or the form that a sealing store gave it.
    public var archive: Data
    /// Its version.
    public var version: Version

    /// Makes a stored state.
    public init(archive: Data, version: Version) { (self.archive, self.version) = (archive, version) }
}

extension StoredAuthState: Redacted {
    /// The size alone: the archive holds tokens.
    public var description: String { "stored state, \(archive.count) bytes" }
}

/// The name of a state within a store, for example a profile or a user's session.
public struct AuthStateKey: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Any text; of a key that stands for another one its digest.
    public let rawValue: String
    /// Whether this stands for a key of which only the digest is known.
    public let isDigest: Bool
    /// Makes a key.
    public init(rawValue: String) { (self.rawValue, isDigest) = (rawValue, false) }
    /// Makes a key.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    /// Makes a key that stands for another one, in lists of stores that keep no keys but their digests.
    ///
    /// It is equal to no other key; the store that made it leads it to the same state.
    ///
    /// - Parameter digest: The SHA-256 of the key, 64 hexadecimal digits in lower case.
    public init(digest: String) { (rawValue, isDigest) = (digest, true) }
    /// Makes a key from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The key of programs with one state.
    public static let `default`: AuthStateKey = "default"
    /// Makes the key of a session of a browser, with 192 random bits.
    public static func random() -> AuthStateKey { AuthStateKey(Base64URL.encode(SecureRandom.bytes(24))) }
    /// The text.
    public var description: String { rawValue }
    /// Tells the key of programs with one state from all others, which may be secret.
    package var inWords: String { self == .default ? "the default key" : "a key of its own" }

    /// Returns whether both have the same bytes: an accented letter and a letter followed by the accent are two keys.
    public static func == (left: Self, right: Self) -> Bool {
        left.isDigest == right.isDigest && left.rawValue.isExactly(right.rawValue)
    }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The purpose of a reading, for a store that waits for one and not for another.
package enum StoreReading {
    /// Whether the reader has no state yet, and so nothing to go on with while the store is away.
    @TaskLocal package static var isFirst = false
}
