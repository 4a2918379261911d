import AuthStateFoundation
import AuthStateKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoopbackFragmentTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"

    /// The form as a browser sends it from our own page.
    private func handover(
        _ fragment: String, _ trip: LoopbackTrip, origin: String? = nil, _ headers: String = ""
    ) -> String {
        let origin = origin ?? "Origin: http://127.0.0.1:\(trip.port)\r\n"
        let fetch = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\n"
        let value = fragment.replacing("%", with: "%25").replacing("=", with: "%3D").replacing("&", with: "%26")
        return trip.request(
            "/callback", method: "POST", headers: Self.form + origin + (headers.isEmpty ? fetch : headers),
            body: "authstate_fragment=\(value)")
    }

    @Test(
        "the page hands the fragment over, which becomes part of the address",
        arguments: ["code=a%2Bb&state=s&id_token=x.y.z", "error=access_denied&state=s"])
    func answer(fragment: String) async throws {
        let trip = try await LoopbackTrip()
        let callback = try await trip.start()
        let page = try await trip.send(trip.request("/callback", headers: "Sec-Fetch-Mode: navigate\r\n"))
        #expect(page.httpStatus == 200 && page.contains(#"<form method="post""#))
        let reply = try await trip.hold(handover(fragment, trip))
        let answer = try await callback.value
        #expect(answer.url == "\(trip.session.redirectURI)#\(fragment)" && answer.formBody == nil)
        #expect(trip.session.redirectURI.matches(answer.url))
        #expect(try await trip.send(handover(fragment, trip)).httpStatus == 409, "an answer counts once")
        #expect(try await trip.send(trip.request("/callback")).httpStatus == 409)
        await trip.session.finish(.completed)
        #expect(try await reply.value.contains("You are signed in"))
    }

    @Test("the redirect URI's own query stays")
    func query() async throws {
        let trip = try await LoopbackTrip("http://127.0.0.1:0/callback?tenant=1")
        let callback = try await trip.start()
        let request = handover("code=1", trip).replacing("POST /callback", with: "POST /callback?tenant=1")
        let reply = try await trip.hold(request)
        #expect(try await callback.value.url == "http://127.0.0.1:\(trip.port)/callback?tenant=1#code=1")
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("the policy admits one script and one form, and says so without scripts too")
    func policy() async throws {
        let trip = try await LoopbackTrip()
        let callback = try await trip.start()
        let page = try await trip.send(trip.request("/callback?state=1"))
        let nonce = try #require(page.split(separator: "script-src 'nonce-").last?.prefix { $0 != "'" })
        #expect(
            page.contains(
                "Content-Security-Policy: default-src 'none'; style-src 'nonce-\(nonce)'; "
                    + "script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r\n"))
        #expect(page.contains("Referrer-Policy: same-origin\r\n") && !page.contains("no-referrer"))
        #expect(page.contains("Cache-Control: no-store\r\n"))
        #expect(page.components(of: "<script") == 1 && page.contains("<script nonce=\"\(nonce)\">"))
        #expect(page.contains("history.replaceState"))
        #expect(page.contains("<noscript>") && page.contains("Allow scripts for this page"))
        #expect(!(try await trip.send(trip.request("/callback"))).contains(nonce))
        callback.cancel()
        await trip.session.finish(.cancelled)
    }

    @Test func `the form may lead on to a program's own last pages, which browsers check`() async throws {
        let done = try #require(URL(string: "https://app.example:8443/done?x=1"))
        let script = try #require(URL(string: "javascript:alert(1)"))
        let pages = LoopbackPages(success: .redirect(done), failure: .redirect(script))
        let trip = try await LoopbackTrip(pages: pages)
        let callback = try await trip.start()
        let page = try await trip.send(trip.request("/callback"))
        #expect(page.contains("form-action 'self' https://app.example:8443; "))
        callback.cancel()
        await trip.session.finish(.cancelled)
    }

    @Test("another sender cannot hand a fragment over, and trying changes nothing")
    func strangers() async throws {
        let trip = try await LoopbackTrip()
        #expect(try await trip.send(trip.request("/callback")).httpStatus == 404, "nothing was presented yet")
        #expect(try await trip.send(handover("code=1", trip)).httpStatus == 404)
        let callback = try await trip.start()
        let good = "code=evil&state=s"
        let ours = "Origin: http://127.0.0.1:\(trip.port)\r\n"
        for origin in [
            "", "Origin: null\r\n", "Origin: https://evil.example\r\n", "Origin: http://127.0.0.1\r\n",
            "Origin: http://localhost:\(trip.port)\r\n", "Origin: https://127.0.0.1:\(trip.port)\r\n",
            ours + "Origin: https://evil.example\r\n",
        ] {
            #expect(try await trip.send(handover(good, trip, origin: origin)).httpStatus == 403, "\(origin)")
        }
        for headers in ["Sec-Fetch-Mode: cors\r\n", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"] {
            #expect(try await trip.send(handover(good, trip, headers)).httpStatus == 403, "\(headers)")
        }
        for fragment in ["", "state=s", "_=_", "code=1 2", "code=1+2", "code=1\r\nX: y"] {
            #expect(try await trip.send(handover(fragment, trip)).httpStatus == 400, "\(fragment)")
        }
        let reply = try await trip.hold(trip.request("/callback?code=right"))
        #expect(try await callback.value.url.hasSuffix("?code=right"))
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("a logout has no fragment")
    func logout() async throws {
        let trip = try await LoopbackTrip(for: .logout)
        let callback = try await trip.start()
        let reply = try await trip.hold(handover("code=1", trip))
        #expect(try await reply.value.contains("authstate_form"), "a form like any other")
        callback.cancel()
        await trip.session.finish(.cancelled)
    }
}
