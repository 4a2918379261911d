/// A protection that keeps a grant from being lost, and that a worker can be told to leave out.
enum Protection: String, Codable, CaseIterable {
    /// No other process holds the state meanwhile.
    case lease
    /// The state is read again under the lease.
    case rereading
    /// Space for the answer is taken before anything is spent.
    case reservation
    /// A new content takes the place of the old one in a single step.
    case replacement
    /// Content and names are brought to the disk itself.
    case synchronizing
    /// The provider's: a spent refresh token may be used again for a while.
    case grace
}
