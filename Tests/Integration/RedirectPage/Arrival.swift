/// An address that a browser arrives at, and what the page may make of it.
struct Arrival: Sendable {
    let name: String
    /// Path, query and fragment.
    let address: String
    /// Query or fragment of what the app gets; nil when it must get nothing.
    let handedOver: String?

    init(_ name: String, _ answer: String, path: String = "/callback", handsOver: String?) {
        (self.name, address, handedOver) = (name, path + answer, handsOver)
    }

    /// Each attack and each odd answer once.
    static let all = [
        Arrival(
            "query", "?code=abc&state=xyz&iss=https%3A%2F%2Fop.example",
            handsOver: "?code=abc&state=xyz&iss=https%3A%2F%2Fop.example"),
        Arrival("fragment", "#code=abc&state=xyz", handsOver: "#code=abc&state=xyz"),
        Arrival("end of a logout", "?state=xyz", handsOver: "?state=xyz"),
        Arrival(
            "markup in the error",
            "?error=access_denied&error_description=%3Cscript%3Epwned%3D1%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dpwned%3D1%3E"
                + "&error_uri=javascript%3Apwned%3D1&state=xyz",
            handsOver:
                "?error=access_denied&error_description=%3Cscript%3Epwned%3D1%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dpwned%3D1%3E"
                + "&error_uri=javascript%3Apwned%3D1&state=xyz"),
        Arrival(
            "another target",
            "?target=evil:/&scheme=evil&app=evil.app:/&redirect_uri=https://evil.example&code=abc&state=xyz",
            handsOver: "?code=abc&state=xyz"),
        Arrival(
            "javascript as a code", "?code=javascript:pwned=1&state=javascript:pwned=1",
            handsOver: "?code=javascript%3Apwned%3D1&state=javascript%3Apwned%3D1"),
        Arrival("javascript as everything", "?javascript:pwned=1", handsOver: nil),
        Arrival("two codes", "?code=abc&state=xyz&code=evil", handsOver: nil),
        Arrival("an empty second state", "?code=abc&state=xyz&state=", handsOver: nil),
        Arrival(
            "a state inside the code", "?code=abc%26state%3Devil%23iss&state=xyz",
            handsOver: "?code=abc%26state%3Devil%23iss&state=xyz"),
        Arrival(
            "a fragment beside the query", "?code=abc&state=xyz#iss=https://evil.example&error=evil",
            handsOver: "?code=abc&state=xyz"),
        Arrival("the fragment of some providers", "?code=abc&state=xyz#_=_", handsOver: "?code=abc&state=xyz"),
        Arrival("tokens", "#access_token=abc&id_token=abc&token_type=Bearer", handsOver: nil),
        Arrival("a token beside the code", "#code=abc&state=xyz&id_token=abc", handsOver: "#code=abc&state=xyz"),
        Arrival(
            "control characters", "?code=a%00%0D%0Ab+c&state=%F0%9F%94%91%FF",
            handsOver: "?code=a%00%0D%0Ab%20c&state=%F0%9F%94%91%EF%BF%BD"),
        Arrival("names of JavaScript's own", "?__proto__=a&constructor=b&toString=c", handsOver: nil),
        Arrival("a long code", "?code=\(long(8000))&state=xyz", handsOver: "?code=\(long(8000))&state=xyz"),
        Arrival("an endless code", "?code=\(long(20000))&state=xyz", handsOver: nil),
        Arrival("nothing", "", handsOver: nil),
        Arrival("a path like a host", "?code=abc&state=xyz", path: "//evil.example/", handsOver: "?code=abc&state=xyz"),
        Arrival("a frame", "?code=abc&state=xyz", path: PageHost.frame, handsOver: nil),
    ]

    static func named(_ name: String) -> Arrival? { all.first { $0.name == name } }

    private static func long(_ length: Int) -> String { String(repeating: "a", count: length) }
}
