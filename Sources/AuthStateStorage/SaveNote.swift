/// The note that a holder writes into its lock's file before a save, for the next holder to finish it after a crash.
struct SaveNote: Sendable, Hashable {
    /// The version that is replaced; nil when there is none.
    let base: StoredAuthState.Version?
    /// The version that takes its place: the digest of its content.
    let version: StoredAuthState.Version
    /// The size of that content in bytes.
    let count: Int

    init(base: StoredAuthState.Version?, version: StoredAuthState.Version, count: Int) {
        (self.base, self.version, self.count) = (base, version, count)
    }

    /// Reads a note; nil for anything else.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let count = Int(words[2]), count > 0 else { return nil }
        base = words[0] == "-" ? nil : StoredAuthState.Version(rawValue: String(words[0]))
        version = StoredAuthState.Version(rawValue: String(words[1]))
        self.count = count
    }

    /// More bytes than any note has.
    static let longest = 512

    /// Whether these bytes may be a note, a part of one whose writer died, or zeros, which some file systems leave after a
    /// power failure.
    static func canStand(in bytes: [UInt8]) -> Bool {
        bytes.count <= longest && bytes.allSatisfy { $0 == 0 || "0123456789abcdef -".utf8.contains($0) }
    }

    /// The note as it is written.
    var text: String { "\(base?.rawValue ?? "-") \(version.rawValue) \(count)" }
}
