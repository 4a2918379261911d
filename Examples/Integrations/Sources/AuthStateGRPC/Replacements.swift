import Synchronization

/// The access tokens that replaced refused ones, until a server accepts them.
final class Replacements: Sendable {
    /// Far more than calls in progress; to forget a token costs one renewal.
    private static let limit = 1024
    private let tokens = Mutex<Set<String>>([])

    func insert(_ token: String) {
        tokens.withLock { tokens in
            if tokens.count >= Self.limit { tokens = [] }
            tokens.insert(token)
        }
    }

    func remove(_ token: String) { tokens.withLock { _ = $0.remove(token) } }

    func contains(_ token: String) -> Bool { tokens.withLock { $0.contains(token) } }
}
