import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

/// A party of a login, from left to right.
enum ReportLane: Int {
    case browser = 1
    case program, provider, api

    var title: String {
        switch self {
        case .browser: "Browser"
        case .program: "This program"
        case .provider: "Provider"
        case .api: "API"
        }
    }
}

/// A row of the picture: an arrow between two parties, or a note beside one.
struct ReportRow {
    enum Kind {
        /// - Parameter answer: The status or failure of an exchange, and whether it failed; nil for a way without an answer.
        case arrow(ReportLane, ReportLane, answer: (text: String, isFailed: Bool, isLost: Bool)?)
        /// A way that the program does not see itself.
        case unseen(ReportLane, ReportLane)
        /// - Parameter tone: The class of the box: `good`, `warn`, `bad`, or none.
        case note(tone: String, checks: [(name: String, isMet: Bool)], hint: String?)
    }

    var kind: Kind
    /// Nil where it is not known.
    var date: Date?
    var label: String
    /// Whether the label is a request line.
    var isCode = false
    /// Whether the details are shown at once.
    var isOpen = false
    var groups: [(title: String, members: [ReportedMember])] = []
}

extension Recording {
    /// The rows in order of time.
    func rows(_ parties: ReportParties) -> [ReportRow] {
        var rows: [ReportRow] = []
        // What the library says of a token request is more than its form shows.
        var sent: [ReportedMember]?
        for item in items {
            switch item {
            case .exchange(let exchange):
                let isTokenRequest = exchange.sent.contains { $0.name == "grant_type" }
                rows.append(row(exchange, parties.lane(of: exchange), sent: isTokenRequest ? sent : nil))
                if isTokenRequest { sent = nil }
            case .step(let entry, _) where entry.step == .tokenRequest: sent = entry.members
            case .step(let entry, let error): rows += self.rows(entry, error)
            }
        }
        return rows
    }

    private func row(_ exchange: RecordedExchange, _ lane: ReportLane, sent: [ReportedMember]?) -> ReportRow {
        let path = URIReference(exchange.url).path
        let milliseconds = "\(Int((exchange.duration / .milliseconds(1)).rounded())) ms"
        let outcome = exchange.status.map { "\($0)" } ?? exchange.failure ?? ""
        var answer = (text: "\(outcome) · \(milliseconds)", isFailed: exchange.isFailed, isLost: exchange.status == nil)
        answer.text = hiding(answer.text)
        let more = (sent ?? []).filter { detail in !exchange.sent.contains { $0.name == detail.name } }
        let address = ReportedMember(name: "address", value: exchange.url, isMark: false)
        return ReportRow(
            kind: .arrow(.program, lane, answer: answer), date: exchange.date,
            label: "\(exchange.method) \(path.isEmpty ? "/" : path)", isCode: true, isOpen: exchange.isFailed,
            groups: [("Sent", [address] + more + exchange.sent), ("Received", exchange.received)])
    }

    private func rows(_ entry: LoginTrace.Entry, _ error: AuthStateError?) -> [ReportRow] {
        let details = [("Details", entry.members)]
        func note(
            _ tone: String, checks: [(String, Bool)] = [], hint: String? = nil, _ groups: [(String, [ReportedMember])]
        )
            -> ReportRow
        {
            ReportRow(
                kind: .note(tone: tone, checks: checks, hint: hint), date: entry.date, label: entry.message,
                groups: groups)
        }
        let checked = entry.details.first { $0.name == "checked" }?.value.split(separator: " ").map(String.init) ?? []
        let failed = entry.details.first { $0.name == "failed" }?.value
        let checks = checked.map { ($0, true) } + (failed.map { [($0, false)] } ?? [])
        switch entry.step {
        case .browser:
            return [
                ReportRow(
                    kind: .arrow(.program, .browser, answer: nil), date: entry.date, label: entry.message,
                    groups: details),
                ReportRow(
                    kind: .unseen(.browser, .provider), label: "The user answers there (not seen by this program)"),
            ]
        case .callback:
            return [
                ReportRow(kind: .unseen(.provider, .browser), label: "The way back (not seen by this program)"),
                ReportRow(
                    kind: .arrow(.browser, .program, answer: nil), date: entry.date, label: entry.message,
                    groups: [("Received", entry.members)]),
            ]
        case .answer: return [note("good", checks: checks, [])]
        // The failure that follows has the reason.
        case .idToken: return [note(failed == nil ? "good" : "bad", checks: checks, failed == nil ? details : [])]
        case .leniency: return [note("warn", details)]
        case .failure:
            let members = entry.members.filter { $0.name != "hint" }
            var row = note("bad", hint: error?.hint, [("Details", members)])
            if let error { row.label = error.message }
            return [row]
        // The exchange shows what it brought.
        case .tokens where entry.details.contains { $0.name == "access_token" }: return []
        default: return [note("", details)]
        }
    }

    var exchanges: [RecordedExchange] {
        items.compactMap { item in if case .exchange(let exchange) = item { exchange } else { nil } }
    }
}

/// Which party each exchange of a recording was with.
struct ReportParties {
    /// The URLs that metadata name, and their origins.
    private let known: Set<String>
    private let origins: Set<String>
    /// Where userinfo was read, or could not be: a configuration by hand has no metadata that name the place.
    private let userInfo: Set<String>

    init(_ recording: Recording) {
        known = recording.exchanges.reduce(into: []) { $0.formUnion($1.providerURLs) }
        origins = Set(known.compactMap { URIReference($0).origin })
        var (newest, found) = (String?.none, Set<String>())
        for item in recording.items {
            switch item {
            case .exchange(let exchange): if exchange.hasToken { newest = exchange.url }
            case .step(let entry, let error):
                if let newest, entry.step == .userinfo || error?.stage == .userinfo { found.insert(newest) }
            }
        }
        userInfo = found
    }

    /// The party that an exchange was with.
    func lane(of exchange: RecordedExchange) -> ReportLane {
        if exchange.url.contains("/.well-known/oauth-protected-resource") { return .api }
        if userInfo.contains(exchange.url) || known.contains(exchange.url) || exchange.url.contains("/.well-known/") {
            return .provider
        }
        guard exchange.hasToken || !known.isEmpty else { return .provider }
        return exchange.hasToken || !origins.contains(exchange.origin ?? "") ? .api : .provider
    }
}

extension LoginTrace.Entry {
    /// The particulars, with marks in place of secrets.
    fileprivate var members: [ReportedMember] {
        details.map { ReportedMember(name: $0.name, value: $0.mark ?? $0.value, isMark: $0.mark != nil) }
    }
}
