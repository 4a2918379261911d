import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
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
    /// Every secret that was seen, to be hidden in texts of others.
    var secrets = RequestSecrets([])

    /// A text of a server, without the secrets.
    func hiding(_ text: String) -> String { secrets.hiding(foreign: text) }
}

/// Keeps what a trace sees.
final class Recorder: LoginTraceRecorder, Redacted {
    private struct State {
        var items: [Recording.Item] = []
        var secrets: Set<String> = []
    }

    private static let limit = 1000
    private let state = Lock(State())
    private let key = SecureRandom.bytes(32)

    var recording: Recording {
        let (items, secrets) = state.withLock { ($0.items, $0.secrets) }
        let sorted = items.enumerated().sorted { ($0.1.date, $0.0) < ($1.1.date, $1.0) }.map(\.element)
        return Recording(items: sorted, secrets: RequestSecrets(secrets))
    }

    func record(_ entry: LoginTrace.Entry, _ error: AuthStateError?) {
        // The exchange itself is kept.
        if entry.step != .http { append(.step(entry, error)) }
    }

    func record(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, at date: Date,
        took duration: Duration
    ) {
        append(.exchange(RecordedExchange(request, outcome, at: date, took: duration, mark: mark)))
    }

    /// Length and digest of a value that is not shown, and is hidden wherever else it occurs.
    func mark(_ value: String) -> String {
        if value.utf8.count >= 8 { state.withLock { _ = $0.secrets.insert(value) } }
        let digest = (try? HMACSHA2.sha256(value.utf8, key: key)) ?? []
        let digits = digest.prefix(3).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }
        return "\(value.count) characters" + (digits.isEmpty ? "" : " · #\(digits.joined())")
    }

    private func append(_ item: Recording.Item) {
        state.withLock { state in
            if state.items.count == Self.limit { state.items.removeFirst() }
            state.items.append(item)
        }
    }

    /// How much it has kept.
    var description: String { "recording of \(state.withLock { $0.items.count }) steps" }
}
