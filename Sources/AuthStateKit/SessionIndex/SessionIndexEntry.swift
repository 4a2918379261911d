import AuthStateFoundation
import AuthStateOAuth

/// The stored entry of a name: its sessions, by the keys of their states.
struct SessionIndexEntry: Codable, Sendable {
    /// A session of the name.
    struct Session: Codable, Sendable, Equatable {
        /// The grant of the session: another login under the same key is another session.
        var grant: String
        /// When the provider issued the session's first ID token, in seconds since 1970.
        var begun: Double
    }

    /// First, as in an archive: a sealing store reads both before all are sealed.
    private var format = 1
    private var sessionIndex = 1
    var sessions: [String: Session] = [:]

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
        guard let archive, let record = try? AuthStateArchive(data: archive).record else { return }
        hasEnded = record.isLoggedOut
        guard !hasEnded, let token = record.idToken.flatMap({ try? IDToken(parsing: $0) }) else { return }
        names = SessionName.all(of: token)
        session = .init(grant: record.grantID, begun: token.issuedAt?.timeIntervalSince1970 ?? 0)
    }
}
