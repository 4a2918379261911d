import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

/// The stored entry of a name: its sessions, by the keys of their states.
struct SessionIndexEntry: Codable, Sendable, Equatable {
    /// A session of the name.
    struct Session: Codable, Sendable, Equatable {
        /// The grant of the session: another login under the same key is another session.
        var grant: String
        /// When the provider issued the session's first ID token, in seconds since 1970.
        var begun: Double
    }

    /// The end that a logout token told of, for the sessions of the name that began until a moment.
    struct End: Codable, Sendable, Equatable {
        /// The latest beginning of an ended session, by the provider's clock, in seconds since 1970.
        var through: Double
        /// When no login of such a session can be in progress any more, in seconds since 1970.
        var until: Double

        /// The time in seconds that a login may take after the provider has issued its ID token: `IDTokenPolicy.maximumAge`,
        /// and the waits for the keys and for the store.
        private static let loginTime: Double = 900
        /// The longest validity in seconds that counts of a token.
        private static let longestValidity: Double = 86400

        init(_ token: LogoutToken, of name: SessionName) {
            let issued = token.issuedAt.timeIntervalSince1970
            through = issued + name.leeway
            until = min(token.expiresAt.timeIntervalSince1970, issued + Self.longestValidity) + Self.loginTime
        }

        /// The end that the program wants, of the sessions of a user whose tokens were requested by now: by the clocks of the
        /// program's servers, and not by the provider's.
        init(at now: Date) {
            through = now.timeIntervalSince1970
            until = through + Self.loginTime
        }

        /// Returns the later end of two.
        func joined(with other: Self) -> Self {
            var copy = self
            (copy.through, copy.until) = (max(through, other.through), max(until, other.until))
            return copy
        }
    }

    /// First, as in an archive: a sealing store reads both before all are sealed.
    private var format = 1
    private var sessionIndex = 1
    var sessions: [String: Session] = [:]
    /// The last end of the name; nil when there was none of late. One is enough: a later end covers the earlier ones.
    var end: End?

    /// The last end that the program wanted; nil when there was none of late.
    var wantedEnd: End?

    /// Whether the entry says nothing.
    var isEmpty: Bool { sessions.isEmpty && end == nil && wantedEnd == nil }

    init() {}

    /// Reads a stored entry; nil for other contents, a state's above all.
    init?(data: Data) {
        guard let entry = try? JSONDecoder().decode(Self.self, from: data), entry.sessionIndex == 1 else { return nil }
        self = entry
    }

    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

/// What the index has to know about a stored state.
struct IndexedSession: Sendable {
    /// The provider's names for it; none without a login that has an ID token.
    var names: Set<SessionName> = []
    var session = SessionIndexEntry.Session(grant: "", begun: 0)
    /// Whether the state says that its login has ended; false for what cannot be read.
    var hasEnded = false

    /// - Parameter archive: The stored archive; nil where nothing is stored.
    init(archive: Data?) {
        self.init(archive.flatMap { try? AuthStateArchive(data: $0).record })
    }

    init(_ record: AuthState.Record?) {
        guard let record else { return }
        hasEnded = record.isLoggedOut
        guard !hasEnded, let token = record.idToken.flatMap({ try? IDToken(parsing: $0) }) else { return }
        names = SessionName.all(of: token)
        session = .init(grant: record.grantID, begun: token.issuedAt?.timeIntervalSince1970 ?? 0)
    }
}
