import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// A recording as a page: one list, which a style sheet lays out as lanes where there is room.
struct ReportPage {
    private let recording: Recording
    private let program: String
    private let failure: AuthStateError?
    private let parties: ReportParties
    private let rows: [ReportRow]
    /// The numbers of the marks, in order of their first appearance: equal values have one colour.
    private var numbers: [String: Int] = [:]

    init(_ recording: Recording, program: String, failure: AuthStateError?) {
        (self.recording, self.program) = (recording, program)
        var last: AuthStateError?
        if case .step(let entry, let error) = recording.items.last, entry.step == .failure { last = error }
        self.failure = failure ?? last
        parties = ReportParties(recording)
        rows = recording.rows(parties)
        for row in rows {
            for member in row.groups.flatMap(\.members) where member.isMark && numbers[member.value] == nil {
                numbers[member.value] = numbers.count
            }
        }
    }

    /// The page.
    var html: String {
        let nonce = Base64URL.encode(SecureRandom.bytes(12))
        let lanes = [ReportLane.browser, .program, .provider, .api].map { lane in
            "<li>\(lane.title)<small>\(text(host(of: lane)))</small></li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-\(nonce)'; base-uri 'none'; \
            form-action 'none'">
            <meta name="viewport" content="width=device-width">
            <meta name="referrer" content="no-referrer">
            <title>Login report</title>
            <style nonce="\(nonce)">
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <h1>Login report</h1>
            \(head)
            </header>
            <main>
            <h2 class="sr">What happened, in order of time</h2>
            <ul class="lanes"><li class="axis" aria-hidden="true">seconds</li>\(lanes.joined())</ul>
            <ol class="seq">
            \(rows.indices.map { html(rows[$0], isLast: $0 == rows.count - 1) }.joined(separator: "\n"))
            </ol>
            </main>
            <footer>Secrets and claims about the user are shown as their length and the first digits of a keyed digest. Equal digits \
            mean equal values, within this report only.</footer>
            </body>
            </html>

            """
    }

    private var start: Date? { recording.items.first?.date }

    private var head: String {
        let ends = recording.items.map(\.date) + recording.exchanges.map(\.end)
        let seconds = start.flatMap { start in ends.max().map { $0.timeIntervalSince(start) } } ?? 0
        let time = "\((seconds * 100).rounded() / 100) s"
        let date = start.map { $0.formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon)) } ?? "nothing recorded"
        let dropped = recording.dropped == 0 ? "" : " · without the first \(recording.dropped) steps"
        let about = "<p class=\"sub\">\(text(date)) · <code>\(text(program))</code>\(dropped)</p>"
        guard failure != nil || !recording.items.isEmpty else {
            return "<p class=\"res\">No login step and no request was recorded.</p>\n\(about)"
        }
        if failure == nil, let last = recording.exchanges.last, last.isFailed {
            let answer = last.status.map { "The last answer was \($0)" } ?? "The last request got no answer"
            return "<p class=\"res bad\"><b>✕ \(answer)</b> after \(time)</p>\n\(about)"
        }
        guard let failure else { return "<p class=\"res good\"><b>✓ No failure</b> in \(time)</p>\n\(about)" }
        let facts = [
            ("code", failure.code.rawValue), ("stage", failure.stage.rawValue), ("expected", failure.expected),
            ("received", failure.received),
        ].compactMap { name, value in value.map { "<dt>\(name)</dt><dd>\(text($0))</dd>" } }
        let hint = failure.hint.map { "<p class=\"hint\"><b>What to do</b> \(text($0))</p>" } ?? ""
        return """
            <p class="res bad"><b>✕ Failed</b> after \(time)</p>
            \(about)
            <section class="sum bad"><h2>Error</h2><p class="msg">\(text(failure.message))</p>
            <dl>\(facts.joined())</dl>
            \(hint)</section>
            """
    }

    private func host(of lane: ReportLane) -> String {
        switch lane {
        case .browser: "of the user"
        case .program: program
        case .provider, .api:
            recording.exchanges.first { parties.lane(of: $0) == lane }
                .flatMap { URIReference($0.url).host.map(String.init) } ?? "not asked"
        }
    }

    private func html(_ row: ReportRow, isLast: Bool) -> String {
        let offset = row.date.flatMap { date in start.map { date.timeIntervalSince($0) } }
        let time = offset.map { "<span class=\"t\">+\(Self.threeDecimals(max(0, $0)))</span>" } ?? ""
        let details = details(of: row)
        switch row.kind {
        case .note(let tone, let checks, let hint):
            let tag = ["bad": "✕ Failed", "warn": "Lenient"][tone].map { "<b class=\"tag\">\($0)</b> " } ?? ""
            let list = checks.map { name, isMet in
                "<li\(isMet ? "" : " class=\"no\"")>\(text(name)) \(isMet ? "✓" : "✕")</li>"
            }.joined()
            return """
                <li class="note at-2 \(tone)">\(time)<span class="who">\(ReportLane.program.title)</span>
                <div class="box"><div><p>\(tag)\(text(row.label))</p>\(list.isEmpty ? "" : "<ul class=\"checks\">\(list)</ul>")</div>\
                \((isLast && tone == "bad" ? failure?.hint ?? hint : hint).map { "<p class=\"hint\"><b>What to do</b>\(text($0))</p>" } ?? "")</div>
                \(details)</li>
                """
        case .unseen(let from, let to): return arrow(row, from, to, " unseen", time, "", details)
        case .arrow(let from, let to, let answer):
            let back = answer.map { answer in
                let tone = answer.isFailed ? "bad\(answer.isLost ? " lost" : "")" : "good"
                return """

                    <div class="back \(tone)"><span class="sr">Answer: </span><span class="st">\(answer.isFailed ? "✕ " : "")\
                    \(text(answer.text))</span></div>
                    """
            }
            return arrow(row, from, to, "", time, back ?? "", details)
        }
    }

    private func arrow(
        _ row: ReportRow, _ from: ReportLane, _ to: ReportLane, _ more: String, _ time: String, _ back: String,
        _ details: String
    ) -> String {
        let (direction, tag) = (from.rawValue < to.rawValue ? "right" : "left", row.isCode ? "code" : "span")
        return """
            <li class="arrow \(direction) from-\(from.rawValue) to-\(to.rawValue)\(more)">\(time)<span class="who">\(from.title) \
            <span class="sr">to</span><span aria-hidden="true">→</span> \(to.title)</span>
            <div class="what"><\(tag)>\(text(row.label))</\(tag)></div>\(back)
            \(details)</li>
            """
    }

    private func details(of row: ReportRow) -> String {
        let groups = row.groups.filter { !$0.members.isEmpty }
        guard !groups.isEmpty else { return "" }
        let summary = groups.map { "\($0.members.count) \($0.title.lowercased())" }.joined(separator: " · ")
        let lists = groups.map { group in
            let members = group.members.map { "<dt>\(text($0.name))</dt><dd>\(value($0))</dd>" }
            return "<div><h3>\(group.title)</h3><dl>\(members.joined())</dl></div>"
        }
        return
            "<details\(row.isOpen ? " open" : "")><summary><span>\(summary)</span></summary><div class=\"m\">\(lists.joined())</div></details>"
    }

    private func value(_ member: ReportedMember) -> String {
        guard member.isMark else { return text(member.value) }
        return "<span class=\"chip c\((numbers[member.value] ?? 0) % 8)\">\(member.value.markupEscaped)</span>"
    }

    /// A text without secrets, as HTML.
    private func text(_ text: String) -> String { recording.hiding(text).markupEscaped }

    private static func threeDecimals(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
