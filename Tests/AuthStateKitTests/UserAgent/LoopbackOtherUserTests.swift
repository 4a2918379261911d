import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

/// The attempts of another user of the machine, who reads the browser's arguments and sends requests to the port.
@Suite(.timeLimit(.minutes(5))) struct LoopbackOtherUserTests {
    private let trip: LoopbackTrip

    init() async throws { trip = try await LoopbackTrip() }

    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"

    private func page() throws -> URL { try #require(URL(string: "https://op.example/authorize?client_id=c&state=s")) }

    @Test("the browser is given a one-time address that shows nothing of the request")
    func address() async throws {
        let trip = try await LoopbackTrip("http://127.0.0.1:0/cb?provider=a")
        let (callback, address) = try await trip.open(page())
        let base = "http://127.0.0.1:\(trip.port)/cb/"
        #expect(address.absoluteString.hasPrefix(base) && address.query == nil)
        #expect(address.absoluteString.utf8.count == base.utf8.count + 43, "32 bytes as base64url")
        let reply = try await trip.send(trip.request(address.path))
        let location = try page().absoluteString
        #expect(reply.httpStatus == 303 && reply.contains("Location: \(location)\r\n"))
        #expect(reply.contains("Cache-Control: no-store\r\n") && reply.contains("Referrer-Policy: no-referrer\r\n"))
        let cookie = try #require(reply.components(separatedBy: "Set-Cookie: ").last?.prefix { $0 != "\r\n" })
        #expect(cookie.hasPrefix("authstate-\(trip.port)="))
        #expect(cookie.hasSuffix("; Path=/cb; Max-Age=360; HttpOnly; SameSite=Lax"))
        #expect(reply.cookie.utf8.count == "authstate-\(trip.port)=".utf8.count + 43)
        callback.cancel()
        await trip.session.finish(.cancelled)
    }

    @Test("an answer without the cookie is refused with a page that says what to do, and ends nothing")
    func withoutCookie() async throws {
        let callback = try await trip.start(at: page())
        for headers in ["", "Cookie: authstate-\(trip.port)=\r\n", "Cookie: authstate-\(trip.port)=x; a=b\r\n"] {
            let refused = try await trip.send(trip.strangersRequest("/callback?code=theirs&state=s", headers: headers))
            #expect(refused.httpStatus == 403 && refused.contains("Another browser"))
            #expect(refused.contains("allow cookies for this address"))
        }
        let reply = try await trip.hold(trip.request("/callback?code=ours&state=s"))
        #expect(try await callback.value.url.hasSuffix("?code=ours&state=s"))
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("a second visit of the address ends the login with an error of its own, and both visitors are told")
    func secondVisit() async throws {
        let (callback, address) = try await trip.open(page())
        let first = try await trip.send(trip.request(address.path))
        let second = try await trip.send(trip.request(address.path))
        #expect(first.httpStatus == 303 && second.httpStatus == 409)
        #expect(second.contains("it was opened before") && second.cookie.isEmpty && !second.contains("op.example"))
        let error = await #expect(throws: AuthStateError.self) { try await callback.value }
        #expect(error?.code == .openedTwice && error?.stage == .authorization && error?.kind == .refused)
        #expect(error?.hint?.contains("another user of this machine") == true)
        let late = "Cookie: \(first.cookie)\r\n"
        let answer = try await trip.send(trip.strangersRequest("/callback?code=1&state=s", headers: late))
        #expect(answer.httpStatus == 409)
        await trip.session.finish(.cancelled)
    }

    @Test("a second visit while the code is exchanged revokes the tokens and fails the login")
    func lateVisit() async throws {
        let gate = ScriptedTransport.Gate()
        var fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))], then: .json("{}"))
        fixture.record.client.provider.revocationEndpoint = URL(string: "https://op.example/revoke")
        let (opened, continuation) = AsyncStream.makeStream(of: URL.self)
        let agent = LoopbackUserAgent(browser: .custom { continuation.yield($0) })
        var request = AuthorizationRequest(Client(fixture.record.client.provider, id: "client"), scopes: ["read"])
        request.state = "s"
        let login = Task { [service = fixture.service, request] in
            try await service.authorize(request, presenting: agent)
        }
        var visitors = opened.makeAsyncIterator()
        let address = try #require(await visitors.next())
        let port = UInt16(try #require(address.port))
        func send(_ target: String, _ headers: String = "") async throws -> String {
            try await TestSocket.exchange(
                "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(headers)\r\n", port: port,
                ipv6: false)
        }
        let cookie = "Cookie: \(try await send(address.path).cookie)\r\n"
        let page = Task { try await send("/callback?code=1&state=s", cookie) }
        await gate.arrivals()
        #expect(try await send(address.path).httpStatus == 409)
        gate.open()
        let error = await #expect(throws: AuthStateError.self) { try await login.value }
        #expect(error?.code == .openedTwice)
        #expect(fixture.transport.requests.count { $0.url.path == "/revoke" } == 2)
        #expect(try await page.value.contains("failed"))
    }

    @Test("a program that looks at the address before the user does not use it up")
    func lookingAhead() async throws {
        let (callback, address) = try await trip.open(page())
        let path = address.path
        let looks: [(String, Int)] = [
            (trip.request(path, method: "HEAD"), 405), (trip.request(path, method: "POST", body: "a=b"), 405),
            (trip.request(path, headers: "Sec-Purpose: prefetch\r\n"), 503),
            (trip.request(path, headers: "Sec-Purpose: prefetch;prerender\r\n"), 503),
            (trip.request(path, headers: "Purpose: prefetch\r\n"), 503),
            (trip.request(path, headers: "Sec-Fetch-Mode: no-cors\r\n"), 403),
            (trip.request(path, headers: "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"), 403),
            (trip.request("\(path)x"), 404), (trip.request(String(path.dropLast())), 404),
        ]
        for (request, status) in looks {
            let reply = try await trip.send(request)
            #expect(reply.httpStatus == status && !reply.contains("op.example") && reply.cookie.isEmpty, "\(request)")
        }
        #expect(try await trip.send(trip.request(path)).httpStatus == 303)
        callback.cancel()
        await trip.session.finish(.cancelled)
    }

    @Test("a form of another site, which comes without the cookie, is posted again by our page and only then counts")
    func formPost() async throws {
        let trip = try await LoopbackTrip("http://127.0.0.1:0/callback?provider=a")
        let callback = try await trip.start(at: page())
        let (target, theirs) = ("/callback?provider=a", "code=a%2Bb&state=s&note=%22%3C'")
        let crossSite = Self.form + "Origin: https://op.example\r\nSec-Fetch-Site: cross-site\r\n"
        let page = try await trip.send(trip.strangersRequest(target, method: "POST", headers: crossSite, body: theirs))
        #expect(page.httpStatus == 200 && page.contains(#"<form method="post">"#))
        #expect(page.contains(#"name="authstate_form" value="code=a%2Bb&amp;state=s&amp;note=%22%3C&#39;""#))
        #expect(page.contains("form-action 'self';") && page.contains("Referrer-Policy: same-origin\r\n"))
        let again = "authstate_form=code%3Da%252Bb%26state%3Ds%26note%3D%2522%253C%27"
        let ours = Self.form + "Origin: http://127.0.0.1:\(trip.port)\r\nSec-Fetch-Site: same-origin\r\n"
        let strangers = [
            trip.strangersRequest(target, method: "POST", headers: ours, body: again),
            trip.request(target, method: "POST", headers: Self.form, body: again),
            trip.request(target, method: "POST", headers: Self.form + "Origin: https://op.example\r\n", body: again),
            trip.request(target, method: "POST", headers: Self.form + "Origin: http://127.0.0.1:1\r\n", body: again),
            trip.request(
                target, method: "POST", headers: ours.replacing("same-origin", with: "same-site"), body: again),
        ]
        for request in strangers { #expect(try await trip.send(request).httpStatus == 403, "\(request)") }
        let reply = try await trip.hold(trip.request(target, method: "POST", headers: ours, body: again))
        let answer = try await callback.value
        #expect(answer.formBody == theirs && answer.url == trip.session.redirectURI.rawValue)
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("an answer with another state ends nothing, and the error of a login that then times out names it")
    func otherState() async throws {
        let callback = try await trip.start(at: page())
        let signed = [#"{"alg":"ES256"}"#, #"{"code":"x","state":"other"}"#, "signature"]
            .map { Data($0.utf8).base64EncodedString().filter { $0 != "=" } }.joined(separator: ".")
        for query in [
            "code=1&state=other", "code=1", "error=access_denied&state=other", "code=1&state=", "response=\(signed)",
        ] {
            let reply = try await trip.send(trip.request("/callback?\(query)"))
            #expect(reply.httpStatus == 403 && reply.contains("Not this sign-in"), "\(query)")
        }
        let told = "an answer with another state, or without one, which was refused"
        #expect(trip.told == [told], "at once, and once")
        try await eventually { trip.clock.sleepers == 1 }
        trip.clock.advance(by: .seconds(300))
        let error = await #expect(throws: AuthStateError.self) { try await callback.value }
        #expect(error?.code == .timedOut && error?.received == told)
        await trip.session.finish(.cancelled)
    }

    @Test("a refusal without state ends the login in the browser that was opened, as unconfirmed, and in no other")
    func unconfirmedRefusal() async throws {
        let callback = try await trip.start(at: page())
        let refusal = "/callback?error=access_denied&error_description=n&error_description=o"
        #expect(try await trip.send(trip.strangersRequest(refusal)).httpStatus == 403)
        let reply = try await trip.hold(trip.request(refusal))
        let error = await #expect(throws: AuthStateError.self) { try await callback.value }
        #expect(error?.code == .accessDenied && error?.message.contains("Unconfirmed") == true)
        if let error { await trip.session.finish(.failed(error)) }
        #expect(try await reply.value.contains("access_denied"))
    }

    @Test("this trip's state without code or error is all that comes, and is reported at once")
    func stateAlone() async throws {
        let callback = try await trip.start(at: page())
        _ = try await trip.hold(trip.request("/callback?state=s"))
        #expect(try await callback.value.url.hasSuffix("/callback?state=s"))
        await trip.session.finish(.cancelled)
    }

    @Test("a logout goes the same way")
    func logout() async throws {
        let trip = try await LoopbackTrip(for: .logout)
        let page = try #require(URL(string: "https://op.example/logout?id_token_hint=x.y.z&state=s"))
        let (callback, address) = try await trip.open(page)
        #expect(!address.absoluteString.contains("x.y.z"))
        let first = try await trip.send(trip.request(address.path))
        let cookie = "Cookie: \(first.cookie)\r\n"
        #expect(try await trip.send(trip.strangersRequest("/callback?state=s")).httpStatus == 403)
        let other = try await trip.send(trip.strangersRequest("/callback?state=x", headers: cookie))
        #expect(other.httpStatus == 403 && other.contains("Not this sign-out"))
        #expect(try await trip.send(trip.request(address.path)).httpStatus == 409)
        let error = await #expect(throws: AuthStateError.self) { try await callback.value }
        #expect(error?.code == .openedTwice && error?.stage == .logout)
        await trip.session.finish(.cancelled)
    }

    @Test("a login whose request is elsewhere gives its state to the port all the same")
    func pending() async throws {
        let endpoint = try #require(URL(string: "https://op.example/authorize"))
        var request = AuthorizationRequest(
            Client(ProviderConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint), id: "c"),
            scopes: ["read"], redirectURI: trip.session.redirectURI)
        request.state = "s"
        request.client.provider.pushedAuthorizationRequestEndpoint = endpoint
        request.isPushed = true
        let transport = ScriptedTransport([.json(#"{"request_uri":"urn:r","expires_in":60}"#, status: 201)])
        let pending = try await AuthorizationService(transport: transport).begin(request)
        #expect(!pending.url.absoluteString.contains("state="))
        let callback = Task { [session = trip.session] in try await session.present(.login(pending)) }
        var cookie = ""
        for await address in trip.opened {
            cookie = "Cookie: \(try await trip.send(trip.request(address.path)).cookie)\r\n"
            break
        }
        let other = trip.strangersRequest("/callback?code=1&state=x", headers: cookie)
        #expect(try await trip.send(other).contains("Not this sign-in"))
        callback.cancel()
        await trip.session.finish(.cancelled)
    }
}
