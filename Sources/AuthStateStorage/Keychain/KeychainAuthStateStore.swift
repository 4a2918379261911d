import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// Keeps each state in a keychain item of its own: for apps on Apple platforms, and for states shared with extensions.
///
/// Items are generic passwords: the service is the store's, the account is the key. They stay on this device, are never
/// synchronised, and can be read from the first unlock on, so that a renewal in the background works while the device is
/// locked. On the Mac the data protection keychain is used, which needs a signed app.
///
/// **Nothing is lost in a save.** A first save adds the item, every later one updates it in place, and the query names
/// the version that is replaced: the keychain itself refuses to overwrite another writer's save. An item is never
/// deleted to be added again, as in many examples: an app that is ended in between has logged its user out.
///
/// **A locked device costs nothing.** Before the first unlock, calls throw `.deviceLocked`; so does a renewal, before the
/// refresh token is sent. The grant stays as it is.
///
/// **Being ended in a renewal.** `reserve` writes a note into the item, which the save takes out again. A process that finds
/// the note knows that the refresh token may be spent already; it is tried once more, and a refusal says what happened.
///
/// **App and extension.** A lease excludes every other holder in its process. It excludes no other process, because the
/// system ends an app that is suspended while it holds a lock that it shares. Let one of them renew, the app as a rule,
/// and give the others `ReadOnlyAuthStateStore(KeychainAuthStateStore(…))` with the same `service` and `accessGroup`.
/// Should two of them save all the same, none overwrites the other: the second one adopts what it finds, and saves on
/// top of it.
///
/// **A new installation.** Items outlive the app that made them: see ``removeAll()``.
///
/// Type-checked against declarations of our own; not yet run on a device.
public struct KeychainAuthStateStore: AuthStateStore {
    /// The queue of the process: a suspended process holds nothing that another waits for.
    private static let queue = WaitingLine<String>()

    /// The longest silence of the keychain in a load, or in a function of a lease.
    static let patience = Duration.seconds(30)
    /// The shortest time that a lease waits for the keychain, even beyond its deadline.
    static let leastPatience = Duration.seconds(5)

    private let items: any KeychainItems
    private let service: String
    private let accessGroup: String?
    private let accessibility: Accessibility
    private let clock: any Clock<Duration>
    private let work: BlockingWork
    private let queue: WaitingLine<String>

    #if canImport(Security)
        /// Makes a store; nothing is read or written yet.
        ///
        /// - Parameters:
        ///   - service: A name for all of its items, for example the app's bundle identifier. Use it for nothing else.
        ///   - accessGroup: The keychain access group, with the team's prefix, that app and extensions share; the
        ///     entitlement has to name it. Nil adds to the app's first group, which with Keychain Sharing is the first
        ///     that the entitlement names, and reads in all of them: no item of this service may be in another.
        ///   - accessibility: The times at which the items can be read. Existing items change with their next save.
        ///   - clock: Measures the deadlines of leases.
        public init(
            service: String, accessGroup: String? = nil,
            accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.init(
                SystemKeychain(), service: service, accessGroup: accessGroup, accessibility: accessibility, clock: clock
            )
        }
    #endif

    /// Makes a store on any keychain; one with a queue of its own stands for another process.
    init(
        _ items: any KeychainItems, service: String, accessGroup: String? = nil,
        accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly, clock: any Clock<Duration> = ContinuousClock(),
        queue: WaitingLine<String> = Self.queue
    ) {
        (self.items, self.service, self.accessGroup, self.accessibility) = (items, service, accessGroup, accessibility)
        (self.clock, self.queue) = (clock, queue)
        work = BlockingWork(label: "AuthStateKit.KeychainAuthStateStore", clock: clock)
    }

    /// Reads a state without a lease; nil when there is none under the key.
    ///
    /// - Throws: `AuthStateError`: `.deviceLocked` until the device is unlocked; `.storeUnreadable` with the `OSStatus`
    ///   and what to do; `.storeCorrupt` when the item is not a state of this library.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let entry = entry(key)
        return try await work.run(within: Self.patience, orThrow: .keychainSilent(.storeUnreadable)) {
            try entry.read().stored
        }
    }

    /// Runs a transaction under a lease that excludes every other holder in this process; waiters take turns in order.
    ///
    /// A save that the body began is finished even when its task is cancelled.
    ///
    /// - Parameters:
    ///   - key: The key of the state.
    ///   - deadline: The time to wait for another holder; after it, `.storeLocked` is thrown.
    ///   - look: Not called.
    ///   - body: The transaction. It runs in the caller's isolation; the lease is released when it returns or throws.
    /// - Throws: `AuthStateError` with `.storeLocked` at the deadline; `CancellationError` when cancelled while
    ///   waiting; the body's errors.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let (entry, slot, work, queue) = (entry(key), slot(of: key), work, queue)
        let deadline = Deadline(after: deadline, on: clock)
        let name = [service, accessGroup ?? "", key.rawValue].joined(separator: "\0")
        try await queue.enter(name, until: deadline, orThrow: AuthStateError.storeLocked(key.rawValue))
        let reading: Result<KeychainEntry.Reading, any Error>
        do {
            let patience = max(deadline.remaining, Self.leastPatience)
            // An item that cannot be read is an error only for a call that reads it: it can still be discarded.
            reading = try await work.run(within: patience, orThrow: .keychainSilent(.storeUnreadable)) {
                Result { try entry.read() }
            }
        } catch {
            queue.leave(name)
            throw error
        }
        let lease = KeychainLease(entry, reading, slot, work)
        do {
            let result = try await body(lease)
            await lease.end { queue.leave(name) }
            return result
        } catch {
            await lease.end { queue.leave(name) }
            throw error
        }
    }

    /// False: only the app, and the programs that share its access group, can write its items.
    public var mayBeWrittenByOthers: Bool { false }

    /// The keychain and its service.
    public func location(of key: AuthStateKey) -> String { "the keychain, service \(service), under \(key.inWords)" }

    /// Begins to watch a key: changes by this process show at once; for others the store is read from time to time.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        KeychainWatch(item: slot(of: key), service: slot(of: nil))
    }

    /// Removes every state of this service and access group, readable or not; for the first start of a new installation.
    ///
    /// The system keeps keychain items when an app is deleted, so that its next installation finds the user logged in.
    /// To prevent that, keep a mark in `UserDefaults` and, where it is missing, call this before restoring. The mark
    /// seems missing, too, before the first unlock: look only while `UIApplication.isProtectedDataAvailable`. In an app
    /// that adds this in an update, treat any trace of an earlier version as the mark. Tokens that are removed so are
    /// not revoked; do not call this while a state is in use.
    ///
    /// - Throws: `AuthStateError`: `.deviceLocked`, `.storeUnwritable`.
    public func removeAll() async throws {
        let all = KeychainEntry(
            items: items, name: KeychainAttributes(service: service, accessGroup: accessGroup),
            accessibility: accessibility)
        defer { ChangeCounters.count(slot(of: nil)) }
        try await work.run(within: Self.patience, orThrow: .keychainSilent(.storeUnwritable, isChange: true)) {
            try all.discard()
        }
    }

    private func entry(_ key: AuthStateKey) -> KeychainEntry {
        KeychainEntry(
            items: items, name: KeychainAttributes(service: service, account: key.rawValue, accessGroup: accessGroup),
            accessibility: accessibility)
    }

    /// Returns the slot in which changes of a key, or of all keys, are counted.
    private func slot(of key: AuthStateKey?) -> ChangeCounters.Slot {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(queue))
        hasher.combine(service)
        hasher.combine(accessGroup)
        hasher.combine(key)
        return ChangeCounters.Slot(hasher)
    }
}
