/// A page that lacks one of its protections, and the arrival that shows it.
struct Weakness: Sendable {
    /// The text in the page, and the text that replaces it.
    let change: (from: String, to: String)
    /// The name of the arrival.
    let shownBy: String

    init(_ from: String, _ to: String, shownBy: String) { (change, self.shownBy) = ((from, to), shownBy) }

    /// The page with the change.
    func page(_ whole: String) -> String { whole.replacing(change.from, with: change.to) }

    private static let filter = ".filter(([name]) => expected.includes(name))"
    private static let ambiguity = "new Set(pairs.map(([name]) => name)).size < pairs.length"
    private static let sources = "[location.search, location.hash]"
    private static let clean = "location.href.split(/[?#]/)[0]"
    private static let showing = "document.body.insertAdjacentHTML('beforeend', answer().pairs.map(String).join()); "

    static let all = [
        Weakness(filter, "", shownBy: "another target"),
        Weakness(filter, "", shownBy: "a token beside the code"),
        Weakness(filter, ".filter(([name]) => name in {})", shownBy: "names of JavaScript's own"),
        Weakness(ambiguity, "false", shownBy: "two codes"),
        Weakness(ambiguity, "false", shownBy: "an empty second state"),
        Weakness("encodeURIComponent(value)", "value", shownBy: "a state inside the code"),
        Weakness("encodeURIComponent(value)", "value", shownBy: "control characters"),
        Weakness("url.length > 16384", "false", shownBy: "an endless code"),
        Weakness("url.length > 16384", "url.length > 4096", shownBy: "a long code"),
        Weakness("pairs.length === 0", "false", shownBy: "nothing"),
        Weakness("window.top !== window.self", "false", shownBy: "a frame"),
        Weakness(sources, "[`${location.search}&${location.hash.slice(1)}`]", shownBy: "a fragment beside the query"),
        Weakness(sources, "[location.hash, location.search]", shownBy: "a fragment beside the query"),
        Weakness(sources, "[location.search]", shownBy: "fragment"),
        Weakness(clean, "location.pathname", shownBy: "a path like a host"),
        Weakness("history.replaceState(null, \"\", \(clean));", "", shownBy: "query"),
        Weakness("location.replace(url);", "", shownBy: "query"),
        Weakness("location.replace(url);", "location.replace(answer().pairs[0][1]);", shownBy: "javascript as a code"),
        Weakness("link.hidden = false;", "", shownBy: "query"),
        Weakness("\"state\", ", "", shownBy: "end of a logout"),
        Weakness("const { url,", "\(showing)const { url,", shownBy: "markup in the error"),
    ]
}
