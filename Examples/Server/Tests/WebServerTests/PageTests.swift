import AuthStateKit
import AuthStateTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthStateHummingbird
@testable import WebServer

@Suite(.timeLimit(.minutes(5)))
struct PageTests {
    @Test(
        "every answer forbids caching, framing, sniffing, and a referrer to other sites",
        arguments: ["/", "/profile", "/login", "/callback?state=x&code=y", "/logout", "/healthz", "/no/such/page"])
    func headers(path: String) async throws {
        try await Site.run { site in
            var browser = site.visitor()
            let answer = try await browser.get(path)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(answer.headers[.referrerPolicy] == "same-origin")
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"))
            #expect(answer.headers[.strictTransportSecurity] == nil)
            #expect(!answer.text.contains("<script") && !answer.text.contains("y&"))
        }
    }

    @Test("a form may lead to this server alone, whose answer leads on")
    func formTargets() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            let policy = try #require(try await browser.get("/").headers[.contentSecurityPolicy])
            #expect(policy.hasSuffix("form-action 'self'"))
        }
    }

    @Test("the health check needs no provider")
    func health() async throws {
        try await Site.run { site in
            await site.provider.stop()
            var browser = site.visitor()
            let answer = try await browser.get("/healthz")
            #expect(answer.status == .ok && answer.text == "ok\n")
            #expect(try await browser.get("/").status == .ok)
        }
    }

    @Test("a value interpolated into HTML is escaped, unless it is HTML")
    func html() {
        let bad = "<&>\"'\u{338}"
        let inner: HTML = "<b>\(bad)</b>"
        let outer: HTML = "<p title=\"\(bad)\">\(inner) \(1 + 1)</p>"
        #expect(
            outer.description
                == "<p title=\"&lt;&amp;&gt;&quot;&#39;\u{338}\"><b>&lt;&amp;&gt;&quot;&#39;\u{338}</b> 2</p>")
        #expect(HTML(joining: ["<i>", "</i>"]).description == "<i>\n</i>")
    }
}
