import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateUserAgent
import Testing

/// A prepared session, a browser that opens the one-time address and nothing else, and ways to knock at the port.
struct LoopbackTrip {
    static let page = URL(string: "https://op.example/authorize?client_id=c") ?? URL(filePath: "/")

    let session: any ExternalUserAgentSession
    let clock: StillClock
    let opened: AsyncStream<URL>
    /// The answers that were refused, as the user agent tells of them.
    var told: [String] { jar.told.withLock { $0 } }
    private let jar = CookieJar()

    init(
        _ redirectURI: String? = nil, for purpose: UserAgentPurpose = .login, pages: LoopbackPages = .default
    ) async throws {
        let clock = StillClock()
        let (opened, continuation) = AsyncStream.makeStream(of: URL.self)
        let agent = LoopbackUserAgent(
            browser: .custom { continuation.yield($0) }, pages: pages, clock: clock,
            refused: { [jar] answer in jar.told.withLock { $0.append(answer) } })
        session = try await agent.prepare(redirectURI: redirectURI.map { try RedirectURI($0) }, for: purpose)
        self.clock = clock
        self.opened = opened
    }

    var port: UInt16 { session.redirectURI.port ?? 0 }

    /// Presents, and returns once the browser has opened the one-time address and has its cookie.
    func start(at page: URL = Self.page) async throws -> Task<AuthorizationCallback, any Error> {
        let (task, address) = try await open(page)
        let reply = try await send(request(address.path))
        #expect(reply.httpStatus == 303 && reply.contains("Location: \(page.absoluteString)\r\n"))
        jar.line.withLock { $0 = "Cookie: other=1; \(reply.cookie)\r\n" }
        return task
    }

    /// Presents, and returns the address that the browser was given.
    func open(_ page: URL = Self.page) async throws -> (Task<AuthorizationCallback, any Error>, URL) {
        let session = session
        let task = Task { try await session.present(page) }
        for await address in opened { return (task, address) }
        throw CancellationError()
    }

    /// A request with the cookie, once there is one, as the browser sends it.
    func request(_ target: String, method: String = "GET", headers: String = "", body: String = "") -> String {
        strangersRequest(target, method: method, headers: jar.line.withLock { $0 } + headers, body: body)
    }

    /// A request without the cookie.
    func strangersRequest(_ target: String, method: String = "GET", headers: String = "", body: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\(headers)"
            + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n") + "\r\n\(body)"
    }

    private var host: String { String(session.redirectURI.parts.host ?? "") }

    func send(_ request: String) async throws -> String {
        try await TestSocket.exchange(request, port: port, ipv6: host == "[::1]")
    }

    /// Sends a request that is kept waiting; its reply is read later.
    func hold(_ request: String) async throws -> Task<String, any Error> { Task { try await send(request) } }
}

/// The header line of the cookie that the browser got; empty before.
private final class CookieJar: Sendable {
    let line = Lock("")
    let told = Lock<[String]>([])
}

extension String {
    /// The cookie that an answer sets, as a browser sends it back; empty when it sets none.
    var cookie: String {
        String(components(separatedBy: "Set-Cookie: ").dropFirst().first?.prefix { $0 != ";" } ?? "")
    }
}

@Suite(.timeLimit(.minutes(5))) struct LoopbackUserAgentTests {
    private let trip: LoopbackTrip

    init() async throws { trip = try await LoopbackTrip() }

    @Test("an answer by query reaches the caller as it came, and the browser sees the end of it")
    func query() async throws {
        let trip = try await LoopbackTrip("http://127.0.0.1:0/cb?tenant=1")
        let callback = try await trip.start()
        let reply = try await trip.hold(
            trip.request("/cb?tenant=1&code=a%2Bb&state=s", headers: "Sec-Fetch-Mode: navigate\r\n"))
        let answer = try await callback.value
        #expect(answer.url == "http://127.0.0.1:\(trip.port)/cb?tenant=1&code=a%2Bb&state=s")
        #expect(answer.formBody == nil)
        #expect(trip.session.redirectURI.matches(answer.url))
        await trip.session.finish(.completed)
        let page = try await reply.value
        #expect(page.httpStatus == 200)
        #expect(page.contains("You are signed in") && page.contains("You can close this window"))
        #expect(throws: TestSocket.Failure.self, "nothing listens any more") { try TestSocket(port: trip.port) }
    }

    @Test func `an answer by form post is bounded by its media type and parameters`() async throws {
        let callback = try await trip.start()
        let form = "Content-Type: application/x-www-form-urlencoded;charset=UTF-8\r\n"
        let path = "/callback"
        for (headers, body, status) in [
            ("Content-Type: text/plain\r\n", "code=1", 415), ("", "code=1", 415), (form, "", 400),
            (form, "state=1", 400), (form, "code=1 2", 400),
        ] {
            let reply = try await trip.send(trip.request(path, method: "POST", headers: headers, body: body))
            #expect(reply.httpStatus == status, "\(headers)\(body)")
        }
        let oversize = trip.request(path, method: "POST", headers: form + "Content-Length: 9999999\r\n")
        #expect(try await trip.send(oversize).httpStatus == 413)
        let ours = form + "Origin: http://127.0.0.1:\(trip.port)\r\n"
        for (body, status) in [("authstate_form=state%3D1", 400), ("authstate_form=code%3D1+2", 400)] {
            let reply = try await trip.send(trip.request(path, method: "POST", headers: ours, body: body))
            #expect(reply.httpStatus == status, "\(body)")
        }
        let again = "authstate_form=code%3D1%26state%3D2"
        let reply = try await trip.hold(trip.request(path, method: "POST", headers: ours, body: again))
        let answer = try await callback.value
        #expect(answer.formBody == "code=1&state=2")
        #expect(answer.url == trip.session.redirectURI.rawValue)
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("strays are refused and change nothing, while idle and slow connections are open")
    func strays() async throws {
        let early = try await trip.send(trip.request("/callback?code=early"))
        #expect(early.httpStatus == 404, "nothing is expected before something was presented")
        let callback = try await trip.start()
        let idle = try TestSocket(port: trip.port)
        let slow = try TestSocket(port: trip.port)
        slow.send("GET /callback?code=")
        let good = trip.request("/callback?code=1")
        let authority = "127.0.0.1:\(trip.port)"
        let attempts: [(String, Int)] = [
            (trip.request("/favicon.ico"), 404), (trip.request("/"), 404), (trip.request("/callback/?code=1"), 404),
            (trip.request("/Callback?code=1"), 404), (trip.request("//callback?code=1"), 404),
            // The answer may be in the fragment: a page looks there.
            (trip.request("/callback"), 200), (trip.request("/callback?"), 200),
            (trip.request("/callback?state=1"), 200),
            (trip.request("/callback?xcode=1&codex=2"), 200),
            (good.replacing(authority, with: "evil.example"), 403),
            (good.replacing(authority, with: "localhost:\(trip.port)"), 403),
            (good.replacing(authority, with: "127.0.0.1"), 403),
            (good.replacing(authority, with: "\(authority)."), 403),
            (trip.request("/callback?code=1", headers: "Sec-Fetch-Mode: cors\r\n"), 403),
            (trip.request("/callback?code=1", headers: "Sec-Fetch-Mode: no-cors\r\n"), 403),
            (trip.request("/callback?code=1", headers: "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Mode: cors\r\n"), 403),
            (trip.request("/callback?code=1", headers: "Sec-Fetch-Dest: iframe\r\n"), 403),
            (trip.request("/callback?code=1", method: "PUT"), 405),
            (trip.request("/callback?code=1", method: "HEAD"), 405),
            (trip.request("/callback?code=1", method: "OPTIONS"), 405), ("junk\r\n\r\n", 400),
        ]
        for (request, status) in attempts { #expect(try await trip.send(request).httpStatus == status, "\(request)") }
        let reply = try await trip.hold(good)
        #expect(try await callback.value.url.hasSuffix("/callback?code=1"))
        #expect(try await trip.send(good).httpStatus == 409, "an answer counts once")
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
        #expect(try await offPool { idle.readSome() } == [])
        #expect(try await offPool { slow.readToEnd() } == "")
    }

    @Test("the IPv6 literal and localhost are received where they say")
    func otherHosts() async throws {
        guard (try? LoopbackServer(addresses: [.ipv6]) { _, _ in }) != nil else { return }
        let six = try await LoopbackTrip("http://[::1]:0/cb")
        let callback = try await six.start()
        let port = six.port
        let request = six.request("/cb?error=access_denied")
        let reply = Task { try await TestSocket.exchange(request, port: port, ipv6: true) }
        #expect(try await callback.value.url == "http://[::1]:\(port)/cb?error=access_denied")
        await six.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)

        for ipv6 in [false, true] {
            let local = try await LoopbackTrip("http://localhost:0")
            let callback = try await local.start()
            let port = local.port
            let request = local.request("/?code=1")
            let reply = Task { try await TestSocket.exchange(request, port: port, ipv6: ipv6) }
            #expect(try await callback.value.url == "http://localhost:\(port)?code=1")
            await local.session.finish(.completed)
            #expect(try await reply.value.httpStatus == 200)
        }
    }

    @Test func `a redirect URI with capitals in its host is received in lower case`() async throws {
        let trip = try await LoopbackTrip("http://LocalHost:0/callback")
        let callback = try await trip.start()
        let headers = "Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://localhost:\(trip.port)\r\n"
        let request = trip.request("/callback", method: "POST", headers: headers, body: "authstate_form=code%3D1")
        let reply = try await trip.hold(request.replacing("Host: LocalHost", with: "Host: localhost"))
        #expect(try await callback.value.formBody == "code=1")
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test func `a browser with 20 KiB of cookies for other ports is admitted`() async throws {
        let (callback, address) = try await trip.open()
        let others = (0..<20).map { "other\($0)=\(String(repeating: "a", count: 1 << 10))" }.joined(separator: "; ")
        let entered = try await trip.send(trip.strangersRequest(address.path, headers: "Cookie: \(others)\r\n"))
        #expect(entered.httpStatus == 303)
        let cookies = "Cookie: \(others); \(entered.cookie)\r\n"
        let reply = try await trip.hold(trip.strangersRequest("/callback?code=1", headers: cookies))
        #expect(try await callback.value.url.hasSuffix("/callback?code=1"))
        await trip.session.finish(.completed)
        #expect(try await reply.value.httpStatus == 200)
    }

    @Test("a logout ends with or without parameters", arguments: ["/callback", "/callback?state=1"])
    func logout(target: String) async throws {
        let trip = try await LoopbackTrip(for: .logout)
        let callback = try await trip.start()
        let reply = try await trip.hold(trip.request(target))
        #expect(try await callback.value.url == "http://127.0.0.1:\(trip.port)\(target)")
        await trip.session.finish(.completed)
        #expect(try await reply.value.contains("You are signed out"))
    }

    @Test func `the browser is released after thirty seconds, with a page that claims nothing`() async throws {
        let callback = try await trip.start()
        let reply = try await trip.hold(trip.request("/callback?code=1"))
        _ = try await callback.value
        try await eventually { trip.clock.sleepers == 1 }
        trip.clock.advance(by: .seconds(30))
        let page = try await reply.value
        #expect(page.contains("Almost done") && !page.contains("signed in"))
        await trip.session.finish(.completed)
    }

    @Test func `a login times out when the browser does not come back`() async throws {
        let callback = try await trip.start()
        try await eventually { trip.clock.sleepers == 1 }
        trip.clock.advance(by: .seconds(300))
        let error = await #expect(throws: AuthStateError.self) { try await callback.value }
        #expect(error?.code == .timedOut && error?.stage == .authorization)
        #expect(error?.recognizedFailure?.name == .noAnswerCame && error?.hint == error?.recognizedFailure?.hint)
        #expect(error?.expected == "an answer at \(trip.session.redirectURI)")
        await trip.session.finish(.cancelled)
        #expect(throws: TestSocket.Failure.self) { try TestSocket(port: trip.port) }
    }

    @Test("a cancelled caller is free at once, and so is the port")
    func cancel() async throws {
        let callback = try await trip.start()
        let start = ContinuousClock.now
        callback.cancel()
        await #expect(throws: CancellationError.self) { try await callback.value }
        await trip.session.finish(.cancelled)
        #expect(.now - start < .seconds(60))
        #expect(throws: TestSocket.Failure.self) { try TestSocket(port: trip.port) }
    }

    @Test func `redirect URIs that cannot be received, and ports in use, are refused`() async throws {
        for uri in [
            "https://127.0.0.1:0/cb", "http://app.example/cb", "http://u@127.0.0.1:0/", "app:/cb",
            "http://127.0.0.2:0/",
        ] {
            let error = await #expect(throws: AuthStateError.self) { try await LoopbackTrip(uri) }
            #expect(error?.code == .invalidRedirectURI, "\(uri)")
        }
        let first = try await LoopbackTrip("http://127.0.0.1:\(try ReservedPort.free())/callback")
        for uri in [first.session.redirectURI.rawValue, "http://localhost:\(first.port)/cb"] {
            let error = await #expect(throws: AuthStateError.self) { try await LoopbackTrip(uri, for: .logout) }
            #expect(error?.code == .portInUse && error?.hint != nil && error?.stage == .logout)
        }
        await first.session.finish(.cancelled)
        let again = try await LoopbackTrip(first.session.redirectURI.rawValue)
        #expect(again.session.redirectURI == first.session.redirectURI)
        await again.session.finish(.cancelled)
    }

    @Test func `a session is presented once`() async throws {
        let callback = try await trip.start()
        let error = await #expect(throws: AuthStateError.self) { try await trip.session.present(LoopbackTrip.page) }
        #expect(error?.code == .invalidArgument)
        await trip.session.finish(.cancelled)
        await #expect(throws: CancellationError.self) { try await callback.value }
    }
}

@Suite(.serialized) struct LoopbackDescriptorTests {
    @Test func `500 trips, finished, cancelled or just released, leave no listener behind`() async throws {
        var ports: [UInt16] = []
        for round in 0..<500 {
            let trip = try await LoopbackTrip()
            ports.append(trip.port)
            switch round % 3 {
            case 0: await trip.session.finish(.cancelled)
            case 1:
                let callback = try await trip.start()
                callback.cancel()
                _ = await callback.result
                await trip.session.finish(.cancelled)
            default: break
            }
        }
        // Other tests open descriptors at the same time: far fewer than three for each of these trips.
        try await eventually { try openDescriptors() < 500 }
        #expect(ports.allSatisfy { $0 != 0 })
    }
}
