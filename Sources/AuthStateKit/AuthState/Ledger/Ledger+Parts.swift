import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState.Ledger {
    /// The parts that a state which is only read does not have.
    struct Rare: Sendable, Hashable {
        /// The stamp of a login that is being saved: it is later than the stored state that the login finds, regardless of
        /// the clocks.
        var undecided: AuthState.Stamp?
        /// The error of the last save; nil when everything is saved.
        var storeError: Box<AuthStateError>?
        /// A time at which a state was stored: that of the last reading.
        var storedAt = AuthState.Stamp.never
        /// Whether the newest record is the end that a removal was taken for.
        var isRemoved = false
        /// The number of outcomes of the store so far.
        var outcomes: UInt64 = 0
        /// The tokens requested with parameters: in memory, beside the default ones.
        var sideTokens: [RenewalParameters: TokenResponse] = [:]
        /// The pauses in which this process does not request tokens: in memory, beside the record's, which is for all processes.
        var pauses: [RenewalParameters: AuthState.RenewalPause] = [:]
        /// The last access token that was renewed because a resource refused it.
        var lastRejected: String?
    }

    /// A reading of the store in progress.
    struct Reading: Sendable {
        let begun: AuthState.Stamp
        let outcomes: UInt64
    }

    /// A change of the stored record in progress.
    struct Writing: Sendable {
        /// The record that is written, or whose end lets the stored one be deleted.
        let record: Box<AuthState.Record>
        /// The version that it replaces.
        let expected: StoredAuthState.Version?
    }

    /// Returns the mark of a reading that begins now.
    func reading(at now: Date) -> Reading { Reading(begun: newest.value.nextStamp(at: now), outcomes: outcomes) }

    /// The mark of a change that begins now, of the newest record.
    var writing: Writing { Writing(record: newest, expected: version) }

    /// Whether no later outcome has come since a reading began.
    func isLatest(_ reading: Reading) -> Bool { reading.outcomes == outcomes }
}
