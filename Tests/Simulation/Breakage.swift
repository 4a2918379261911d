/// Something outside the library that is broken on purpose, so that a rule has to be found broken.
enum Breakage: String, CaseIterable {
    /// The provider takes spent refresh tokens, and hands out the same again.
    case spentTokensAreGood
    /// The provider refuses refresh tokens that are good.
    case goodTokensAreRefused
    /// The provider says that tokens live eight times as long as they do.
    case tokensEndEarly
    /// The provider publishes the key of an attacker, who issues the ID tokens.
    case forgedIDTokens
    /// The provider names every user by the same subject.
    case accountsAreConfused
    /// The provider answers with a registration access token that it has replaced already.
    case registrationsRotateUnseen
    /// The lease of the store excludes no other process, and versions are not compared.
    case leaseExcludesNone
    /// The store says that it saved, and did not.
    case savesAreDropped
    /// A logout that is asked for is not made.
    case logoutsAreIgnored
    /// The store reads what was stored before, without the lease.
    case readsAreOld
    /// The store never ends a call.
    case storeNeverReturns
    /// The store cannot be written, also after the faults have ended.
    case storeIsReadOnly
    /// Each process has a store of its own.
    case storeIsSplit
    /// The network sends a renewal again, a second after its lease was lost.
    case networkRepeats
    /// The network drops proofs (RFC 9449).
    case networkDropsProofs
    /// The network sends what was meant for one authorization server to the other.
    case networkConfusesServers
    /// Each call of a process makes an access of its own, which takes no turns with others.
    case accessesAreNotShared
    /// The program logs in anew after each refusal.
    case programLogsIn
    /// The resource asks for another right at each refusal, and the program allows ten logins for more rights.
    case stepUpsAreMany
    /// A stream of changes leaves its last elements out.
    case streamsEndEarly
}
