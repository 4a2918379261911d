import AuthStateKit
import Foundation

/// The outcome of a visit: the text that the page showed, and where the browser went from there.
struct Visit: Sendable {
    private let seen: JSONValue
    private let arrival: Arrival
    private let origin: String

    /// Lets a browser arrive.
    init(_ arrival: Arrival, at host: PageHost, in browser: Chromium) async throws {
        // Coming from elsewhere: a new fragment alone would not load the page.
        try await browser.open("about:blank")
        try await browser.open(host.origin + arrival.address)
        seen = try await browser.script(
            """
            const page = frames[0] ?? window, link = page.document.querySelector("a");
            return {
              link: link && link.checkVisibility() ? link.href : null, text: page.document.body.innerText,
              url: page.location.href, pwned: "pwned" in page, elements: page.document.querySelectorAll("*").length,
              loaded: page.performance.getEntriesByType("resource")
                .filter(entry => !entry.name.endsWith("/favicon.ico")).length,
              ...page.seen,
            };
            """)
        self.arrival = arrival
        origin = host.origin
    }

    /// Has every page say where it goes and what its policy stopped.
    static func watch(_ browser: Chromium) async throws {
        try await browser.beforeEachPage(
            """
            window.seen = { went: [], stopped: [] };
            navigation.addEventListener("navigate", event => seen.went.push(event.destination.url));
            document.addEventListener("securitypolicyviolation", event => seen.stopped.push(event.effectiveDirective));
            """)
    }

    /// The address that the user can open the app with; nil when there is none.
    var link: String? { seen["link"]?.stringValue }

    /// The resources that the policy stopped.
    var stopped: [String] { seen["stopped"]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// Whether something of the attacker's ran.
    var isPwned: Bool { seen["pwned"] == true }

    /// Everything that is not as it has to be.
    var faults: [String] {
        var faults: [String] = []
        let app = arrival.handedOver.map { PageHost.app + $0 }
        if link != app { faults.append("the link is \(link ?? "hidden")") }
        let went = seen["went"]?.arrayValue?.compactMap(\.stringValue).filter { !$0.hasPrefix("\(origin)/") } ?? []
        if went != [app].compactMap(\.self) { faults.append("went to \(went)") }
        let url = seen["url"]?.stringValue ?? ""
        if url.contains("?") || url.contains("#") || !url.hasPrefix("\(origin)/") { faults.append("stayed at \(url)") }
        if isPwned { faults.append("ran a script from the address") }
        if !stopped.isEmpty { faults.append("the policy stopped \(stopped)") }
        if seen["elements"] != 14 { faults.append("has \(seen["elements"] ?? .null) elements") }
        if seen["loaded"] != 0 { faults.append("loaded something") }
        let text = seen["text"]?.stringValue ?? ""
        let words = ["abc", "xyz", "evil", "pwned", "denied", "javascript"]
        if text.isEmpty || words.contains(where: text.contains) { faults.append("shows \(text)") }
        return faults
    }
}
