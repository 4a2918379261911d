import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoopbackPagesTests {
    /// The last answer that the browser gets.
    private func reply(
        _ outcome: UserAgentOutcome, pages: LoopbackPages = .default, for purpose: UserAgentPurpose = .login
    ) async throws -> String {
        let trip = try await LoopbackTrip(for: purpose, pages: pages)
        let callback = try await trip.start()
        let reply = try await trip.hold(trip.request("/callback?code=1"))
        _ = try await callback.value
        await trip.session.finish(outcome)
        return try await reply.value
    }

    @Test func `the provider's text is escaped and cut, and shown`() async throws {
        let text = "<script>alert('1')</script>&\"\u{202E}" + String(repeating: "x", count: 5000)
        let error = AuthStateError(
            .accessDenied, stage: .authorization, "Refused <b>.", hint: "Ask \"someone\".",
            response: OAuthErrorResponse(error: "<img src=x>", errorDescription: text))
        let page = try await reply(.failed(error))
        #expect(page.httpStatus == 400)
        #expect(page.contains("Sign-in failed") && page.contains("Refused &lt;b&gt;."))
        #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"))
        #expect(page.contains("&lt;img src=x&gt;") && page.contains("Ask &quot;someone&quot;."))
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{202E}"))
        #expect(!page.contains(String(repeating: "x", count: 400)))
    }

    @Test("headers keep the page to itself, and its nonce is its own")
    func headers() async throws {
        let page = try await reply(.completed)
        for line in [
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Type: text/html; charset=utf-8", "Cross-Origin-Opener-Policy: same-origin", "Connection: close",
        ] {
            #expect(page.contains("\(line)\r\n"), "\(line)")
        }
        let nonce = try #require(page.split(separator: "'nonce-").last?.prefix { $0 != "'" })
        #expect(nonce.count > 16)
        #expect(page.contains("default-src 'none'; style-src 'nonce-\(nonce)'; "))
        #expect(page.contains("frame-ancestors 'none'") && page.contains("<style nonce=\"\(nonce)\">"))
        let next = try await reply(.completed)
        #expect(!next.contains(nonce))
    }

    @Test func `the page of a cancelled trip says so, and names the application`() async throws {
        let pages = LoopbackPages(applicationName: "Tea & Co")
        let cancelled = try await reply(.cancelled, pages: pages)
        #expect(cancelled.contains("Sign-in cancelled") && cancelled.contains("Tea &amp; Co"))
        #expect(try await reply(.cancelled, for: .logout).contains("Sign-out cancelled"))
    }

    @Test("a program's own pages are HTML without scripts, or a redirect to an http(s) address")
    func ownPages() async throws {
        let done = try #require(URL(string: "https://app.example/done"))
        let pages = LoopbackPages(success: .redirect(done), failure: .html("<p>Oh no</p>"))
        let success = try await reply(.completed, pages: pages)
        #expect(success.httpStatus == 303 && success.contains("Location: https://app.example/done\r\n"))
        let failure = try await reply(.cancelled, pages: pages)
        #expect(failure.httpStatus == 400 && failure.hasSuffix("\r\n\r\n<p>Oh no</p>"))
        #expect(failure.contains("default-src 'none'"))
        let script = try #require(URL(string: "javascript:alert(1)"))
        let refused = try await reply(.completed, pages: LoopbackPages(success: .redirect(script)))
        #expect(refused.httpStatus == 200 && !refused.contains("Location"))
    }
}
