import AuthStateOAuth

/// Discovered providers in memory.
///
/// They are kept for the configured time, whatever `Cache-Control` says: metadata changes rarely, and a provider that
/// forbids caching must not make every login wait.
typealias MetadataCache = AnswerCache<MetadataSource, ProviderConfiguration>

/// The inputs that a discovered configuration depends on.
struct MetadataSource: Hashable, Sendable {
    var issuer: Issuer
    var tolerances: Set<Tolerance>
    var addressPolicy: AddressPolicy
    /// Whether a protected resource named the issuer, for which other rules hold.
    var isNamedByResource = false
}
