import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The last configurations of providers that this process has read from archives or written to them, each with its text.
///
/// They are two thirds of an archive, and all states of one provider have the same: it is parsed and written once.
struct KnownConfigurations: Sendable {
    fileprivate struct Entry {
        let text: [UInt8]
        let configuration: ProviderConfiguration
        /// Whether it was written here; other programs' texts are read alone, so that equal states have equal archives.
        let isOwn: Bool
    }

    private static let shared = Lock<[Entry]>([])
    /// The oldest ones are forgotten beyond this number, and larger texts are not kept.
    private static let limit = 256, maximumBytes = 65_536

    private static func remember(_ entry: Entry) {
        guard entry.text.count <= maximumBytes else { return }
        shared.withLock { entries in
            entries.removeAll { $0.text == entry.text }
            if entries.count == limit { entries.removeFirst() }
            entries.append(entry)
        }
    }

    static func encoded(_ configuration: ProviderConfiguration) throws -> EncodedJSON {
        let entries = shared.withLock { $0 }
        if let known = entries.last(where: { $0.isOwn && $0.configuration == configuration }) {
            return EncodedJSON(known.text, of: configuration)
        }
        let text = try JSONValue.serialized(encoding: configuration)
        remember(Entry(text: text, configuration: configuration, isOwn: true))
        return EncodedJSON(text, of: configuration)
    }

    static func reads(by decoder: any Decoder) -> Bool { key.map { decoder.userInfo[$0] != nil } ?? false }

    /// Returns the configuration that the reader of an archive has found.
    static func found(by decoder: any Decoder) -> ProviderConfiguration? {
        key.flatMap { decoder.userInfo[$0] as? ProviderConfiguration }
    }

    private static let key = CodingUserInfoKey(rawValue: "AuthStateKit.KnownConfigurations")

    static func reader() -> Reader { Reader(entries: shared.withLock { $0 }) }

    struct Reader {
        private let entries: [Entry]
        /// A state's configuration, in the envelope of its archive.
        var member: KnownMember

        fileprivate init(entries: [Entry]) {
            self.entries = entries
            member = KnownMember("configuration", of: "state", texts: entries.map(\.text))
        }

        var userInfo: [CodingUserInfoKey: Any] {
            let found = member.found.map { entries[$0].configuration }
            return key.map { [$0: found as Any] } ?? [:]
        }

        func remember(_ configuration: ProviderConfiguration, from bytes: [UInt8]) {
            guard let range = member.range else { return }
            KnownConfigurations.remember(Entry(text: Array(bytes[range]), configuration: configuration, isOwn: false))
        }
    }
}
