import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// What a trace has kept, without secrets.
struct Recording: Sendable {
    /// A step, or an exchange.
    enum Item: Sendable {
        case step(LoginTrace.Entry, AuthStateError?)
        case exchange(RecordedExchange)

        var date: Date {
            switch self {
            case .step(let entry, _): entry.date
            case .exchange(let exchange): exchange.date
            }
        }
    }

    /// Steps and exchanges in order of their beginning.
    var items: [Item] = []
    /// How many of the first were left out.
    var dropped = 0
    /// Every secret that was seen, to be hidden in texts of others. Each has eight bytes at least.
    var secrets = RequestSecrets([]) {
        didSet {
            parts = Set(secrets.forms.flatMap { Parts($0) })
            hasShortForm = secrets.forms.contains { $0.utf8.count < Parts.length }
        }
    }
    private var parts: Set<UInt64> = []
    private var hasShortForm = false

    /// A text of a server, without the secrets.
    func hiding(_ text: String) -> String { mayHaveSecret(text) ? secrets.hiding(foreign: text) : text }

    /// Whether eight bytes of a text are those of a secret: most texts have none, and a recording has thousands of ways to write
    /// its secrets. Of letters beyond ASCII one may have several forms, and an escape two.
    private func mayHaveSecret(_ text: String) -> Bool {
        hasShortForm || text.utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") }
            || Parts(text).contains(where: parts.contains)
    }
}

/// Each eight bytes of a text that follow each other, as a number.
private struct Parts: Sequence, IteratorProtocol {
    static let length = 8
    private var bytes: String.UTF8View.Iterator
    private var window: UInt64 = 0

    init(_ text: String) {
        bytes = text.utf8.makeIterator()
        for _ in 1..<Self.length { _ = shift() }
    }

    mutating func next() -> UInt64? { shift() ? window : nil }

    private mutating func shift() -> Bool {
        guard let byte = bytes.next() else { return false }
        window = window << 8 | UInt64(byte)
        return true
    }
}

/// Keeps what a trace sees.
final class Recorder: LoginTraceRecorder, Redacted {
    private struct State {
        var items: [Recording.Item] = []
        var dropped = 0
        /// The newest secrets, the last one last.
        var secrets: [String] = []
        var known: Set<String> = []
        /// The addresses of the provider that answers have named.
        var providerURLs: Set<String> = []
    }

    private static let limit = 1000
    private static let secretLimit = 200
    private let state = Lock(State())
    private let key = SecureRandom.bytes(32)

    var recording: Recording {
        let (items, dropped, secrets) = state.withLock { ($0.items, $0.dropped, $0.secrets) }
        let sorted = items.enumerated().sorted { ($0.1.date, $0.0) < ($1.1.date, $1.0) }.map(\.element)
        // Of a token a part is secret too; of a name or an address the whole is.
        let tokens = secrets.filter { $0.utf8.allSatisfy(Self.isOfToken) }
        let wholes = secrets.filter { !$0.utf8.allSatisfy(Self.isOfToken) }
        var recording = Recording()
        (recording.items, recording.dropped) = (sorted, dropped)
        recording.secrets = RequestSecrets(tokens, wholes: wholes)
        return recording
    }

    func record(_ entry: LoginTrace.Entry, _ error: AuthStateError?) {
        // The exchange itself is kept.
        if entry.step != .http { append(.step(entry, error)) }
    }

    func record(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, at date: Date,
        took duration: Duration
    ) {
        let exchange = RecordedExchange(
            request, outcome, at: date, took: duration, known: state.withLock { $0.providerURLs },
            mark: { self.mark($0, isSecret: $1) })
        state.withLock { state in
            if state.providerURLs.count < 1000 { state.providerURLs.formUnion(exchange.providerURLs) }
        }
        append(.exchange(exchange))
    }

    func mark(_ value: String) -> String { mark(value, isSecret: true) }

    /// Length and digest of a value that is not shown.
    ///
    /// - Parameter isSecret: Whether it is hidden wherever else it occurs.
    private func mark(_ value: String, isSecret: Bool) -> String {
        // An address as a whole is no secret: its host would be hidden everywhere.
        if isSecret, (8...16_384).contains(value.utf8.count), !value.contains("://") {
            state.withLock { state in
                guard state.known.insert(value).inserted else { return }
                state.secrets.append(value)
                if state.secrets.count > Self.secretLimit { state.known.remove(state.secrets.removeFirst()) }
            }
        }
        let digest = (try? HMACSHA2.sha256(value.utf8, key: key)) ?? []
        let digits = Fingerprint.hexadecimal(digest.prefix(3))
        return "\(value.count) characters" + (digits.isEmpty ? "" : " · #\(digits)")
    }

    /// Whether a byte can be part of a token (RFC 6750, section 2.1).
    private static func isOfToken(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
    }

    private func append(_ item: Recording.Item) {
        state.withLock { state in
            if state.items.count == Self.limit {
                state.items.removeFirst()
                state.dropped += 1
            }
            state.items.append(item)
        }
    }

    /// How much it has kept.
    var description: String { "recording of \(state.withLock { $0.items.count }) steps" }
}
