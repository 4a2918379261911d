import AuthStateKit
import Foundation
import Testing

/// Examples/RedirectPage in a real browser.
@Suite(.whereChromiumIsInstalled, .takingTurns, .serialized, .timeLimit(.minutes(5)))
struct RedirectPageTests {
    private static let policy = "http-equiv=\"Content-Security-Policy\""

    @Test("the app gets what it needs from every answer, and nothing else")
    func arrivals() async throws {
        let host = try await PageHost(#require(PageHost.page))
        try await Chromium.run { browsers in
            try await Visit.watch(browsers[0])
            for arrival in Arrival.all {
                let faults = try await Visit(arrival, at: host, in: browsers[0]).faults
                #expect(faults == [], "\(arrival.name)")
            }
            try await browsers[0].open("\(host.origin)/callback?code=abc&state=xyz")
            try await browsers[0].picture("redirect-page")
        }
    }

    /// Without its policy, which would stop any change.
    @Test("a page without one of its protections is found out")
    func weaknesses() async throws {
        let page = try #require(PageHost.page).replacing(Self.policy, with: "name=\"none\"")
        let whole = try await PageHost(page)
        try await Chromium.run { browsers in
            try await Visit.watch(browsers[0])
            for weakness in Weakness.all {
                let weak = weakness.page(page)
                #expect(weak != page, "\(weakness.change)")
                let arrival = try #require(Arrival.named(weakness.shownBy))
                #expect(try await Visit(arrival, at: whole, in: browsers[0]).faults == [], "\(arrival.name)")
                let faults = try await Visit(arrival, at: PageHost(weak), in: browsers[0]).faults
                #expect(!faults.isEmpty, "\(weakness.change)")
            }
        }
    }

    @Test("a set-up that would open anything but an app's own scheme is refused")
    func setUp() async throws {
        let page = try #require(PageHost.page)
        try await Chromium.run { browsers in
            try await Visit.watch(browsers[0])
            let wrong = [
                "javascript:pwned=1//", "https://evil.example/", "oauth:/callback", "OauthWithSafari://",
                "data:text/html,x",
                "com.example.app", "com.example.app:/callback?code=evil", "com.example.app:/callback#", "",
            ]
            for app in wrong {
                let host = try await PageHost(page.replacing(PageHost.app, with: app))
                let arrival = Arrival(app, "?code=abc&state=xyz", handsOver: nil)
                let faults = try await Visit(arrival, at: host, in: browsers[0]).faults
                #expect(faults == [], "\(app)")
            }
        }
    }

    @Test("the policy stops scripts and pictures that are not the page's own")
    func policy() async throws {
        let page = try #require(PageHost.page)
        let injected = page.replacing(
            "<main>",
            with: "<img src='/x' onerror='pwned=1'><script>pwned = 1</script><main>")
        #expect(injected != page)
        try await Chromium.run { browsers in
            try await Visit.watch(browsers[0])
            let arrival = try #require(Arrival.named("query"))
            let visit = try await Visit(arrival, at: PageHost(injected), in: browsers[0])
            #expect(!visit.isPwned)
            #expect(visit.stopped.contains("script-src-elem") && visit.stopped.contains("img-src"), "\(visit.stopped)")
            let open = injected.replacing(Self.policy, with: "name=\"none\"")
            #expect(try await Visit(arrival, at: PageHost(open), in: browsers[0]).isPwned)
        }
    }
}
