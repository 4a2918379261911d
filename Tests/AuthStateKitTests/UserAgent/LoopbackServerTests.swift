import AuthStateJOSE
import AuthStateKit
import AuthStateSystem
import AuthStateUserAgent
import Testing

struct LoopbackServerTests {
    private static let get = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let lastGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    /// Answers with method and target.
    private static let echo: LoopbackServer.Handler = { request, responder in
        responder.respond(
            LoopbackResponse(
                status: 200, headers: ["X-Echo": "1"], body: Array("\(request.method) \(request.target)".utf8)))
    }

    @Test("both addresses answer on one port", arguments: [false, true])
    func addresses(ipv6: Bool) async throws {
        let server = try LoopbackServer { request, responder in
            responder.respond(LoopbackResponse(status: 200, body: Array("\(request.localAddress)".utf8)))
        }
        guard !ipv6 || server.addresses.contains(.ipv6) else { return }
        let reply = try await TestSocket.exchange(Self.lastGet, port: server.port, ipv6: ipv6)
        #expect(reply.hasSuffix(ipv6 ? "\r\n\r\nipv6" : "\r\n\r\nipv4"))
    }

    @Test func `requests on one connection are answered in order, also when they come together`() async throws {
        let pending = Lock<[LoopbackResponder]>([])
        let server = try LoopbackServer { request, responder in
            pending.withLock { $0.append(responder) }
            if request.path == "/2" { responder.respond(LoopbackResponse(status: 200, body: Array("second".utf8))) }
        }
        let socket = try TestSocket(port: server.port)
        socket.send(Self.get.replacing("/a", with: "/1") + Self.lastGet.replacing("/a", with: "/2"))
        try await eventually { pending.withLock { $0.count } == 1 }
        pending.withLock { $0[0] }.respond(LoopbackResponse(status: 200, body: Array("first".utf8)))
        pending.withLock { $0[0] }.respond(LoopbackResponse(status: 500, body: Array("ignored".utf8)))
        let reply = try await offPool { socket.readToEnd() }
        let parts = reply.split(separator: "HTTP/1.1 200 OK")
        #expect(parts.count == 2 && parts[0].hasSuffix("first") && parts[1].hasSuffix("second"), "\(reply)")
    }

    @Test func `HEAD gets the length without the body, and a header cannot break its line`() async throws {
        let server = try LoopbackServer { _, responder in
            responder.respond(LoopbackResponse(status: 200, headers: ["X": "a\r\nEvil: 1"], body: Array("12345".utf8)))
        }
        let reply = try await TestSocket.exchange(Self.lastGet.replacing("GET", with: "HEAD"), port: server.port)
        #expect(reply.contains("Content-Length: 5\r\n") && reply.hasSuffix("\r\n\r\n"))
        #expect(reply.contains("X: aEvil: 1\r\n"))
    }

    @Test func `a request that the parser refuses is answered and closed, even while bytes still come`() async throws {
        let server = try LoopbackServer(handler: Self.echo)
        let long = "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 200_000)
        #expect(try await TestSocket.exchange(long, port: server.port).httpStatus == 431)
        #expect(try await TestSocket.exchange("\u{16}\u{3}\u{1}", port: server.port).httpStatus == 400)
        #expect(try await TestSocket.exchange(Self.lastGet, port: server.port).httpStatus == 200)
    }

    @Test func `faults reach the client as they are`() async throws {
        let server = try LoopbackServer { request, responder in
            switch request.path {
            case "/close": responder.inject(.close)
            case "/reset": responder.inject(.reset)
            case "/half":
                responder.inject(.raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8), thenClose: true))
            default: responder.inject(.raw(Array("HTTP/1.1 2".utf8), thenClose: false))
            }
        }
        func ask(_ path: String) throws -> TestSocket {
            let socket = try TestSocket(port: server.port)
            socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            return socket
        }
        let (close, reset, half, hang) = (try ask("/close"), try ask("/reset"), try ask("/half"), try ask("/hang"))
        #expect(try await offPool { close.readSome() } == [])
        #expect(try await offPool { reset.readSome() } == nil)
        #expect(try await offPool { half.readToEnd() }.hasSuffix("half"))
        #expect(try await offPool { hang.read(until: "HTTP/1.1 2") } == "HTTP/1.1 2")
        server.stop()
        #expect(try await offPool { hang.readSome() } == [])
    }

    @Test func `a slow sender and an idle connection time out, a request in the handler does not`() async throws {
        var limits = LoopbackLimits()
        limits.idle = .milliseconds(100)
        let pending = Lock<LoopbackResponder?>(nil)
        let server = try LoopbackServer(limits: limits) { _, responder in pending.withLock { $0 = responder } }
        let (silent, slow, held) = (
            try TestSocket(port: server.port), try TestSocket(port: server.port), try TestSocket(port: server.port)
        )
        held.send(Self.lastGet)
        try await eventually { pending.withLock { $0 != nil } }
        slow.send("GET / HT")
        #expect(try await offPool { silent.readSome() } == [])
        #expect(try await offPool { slow.readSome() } == [])
        pending.withLock { $0 }?.respond(LoopbackResponse(status: 204))
        #expect(try await offPool { held.readToEnd() }.httpStatus == 204)
    }

    @Test func `a client that does not read its answer does not stop the others`() async throws {
        let size = 20 << 20
        let server = try LoopbackServer(limits: .patient) { request, responder in
            let body = [UInt8](repeating: 0x61, count: request.path == "/big" ? size : 1)
            responder.respond(LoopbackResponse(status: 200, body: body))
        }
        let slow = try TestSocket(port: server.port, receiveBuffer: 4096)
        slow.send(Self.lastGet.replacing("/a", with: "/big"))
        #expect(try await TestSocket.exchange(Self.lastGet, port: server.port).httpStatus == 200)
        let received = try await offPool {
            var count = 0
            while let chunk = slow.readSome(), !chunk.isEmpty { count += chunk.count }
            return count
        }
        #expect(received > size)
    }

    @Test("one connection too many displaces the one that is idle longest, never one that is being answered")
    func crowded() async throws {
        var limits = LoopbackLimits()
        limits.connections = 2
        let pending = Lock<LoopbackResponder?>(nil)
        let server = try LoopbackServer(limits: limits) { request, responder in
            if request.path == "/hold" { return pending.withLock { $0 = responder } }
            responder.respond(LoopbackResponse(status: 200))
        }
        let held = try TestSocket(port: server.port)
        held.send(Self.lastGet.replacing("/a", with: "/hold"))
        try await eventually { pending.withLock { $0 != nil } }
        let idle = try TestSocket(port: server.port)
        #expect(try await TestSocket.exchange(Self.lastGet, port: server.port).httpStatus == 200)
        #expect(try await offPool { idle.readSome() } == [])
        pending.withLock { $0 }?.respond(LoopbackResponse(status: 201))
        #expect(try await offPool { held.readToEnd() }.httpStatus == 201)
    }

    @Test func `1,200 connections wait at once and all are answered`() async throws {
        var limits = LoopbackLimits.patient
        limits.connections = 2000
        let pending = Lock<[LoopbackResponder]>([])
        let server = try LoopbackServer(limits: limits) { _, responder in pending.withLock { $0.append(responder) } }
        let sockets = try await offPool { try (0..<1200).map { _ in try TestSocket(port: server.port) } }
        try await offPool { for socket in sockets { socket.send(Self.lastGet) } }
        try await eventually { pending.withLock { $0.count } == 1200 }
        for responder in pending.withLock({ $0 }) { responder.respond(LoopbackResponse(status: 200)) }
        #expect(try await offPool { sockets.count { $0.readToEnd().httpStatus == 200 } } == 1200)
    }

    @Test func `a stopped server finishes what it is sending, and frees its port`() async throws {
        let server = try LoopbackServer(port: ReservedPort.free(), limits: .patient) { _, responder in
            responder.respond(LoopbackResponse(status: 200, body: [UInt8](repeating: 0x61, count: 4 << 20)))
        }
        let socket = try TestSocket(port: server.port)
        socket.send(Self.get)
        let start = try await offPool { socket.readSome() }
        #expect(start?.isEmpty == false)
        server.stop(grace: .seconds(60))
        #expect(try await offPool { socket.readToEnd() }.utf8.count + (start?.count ?? 0) > 4 << 20)
        await server.stopped()
        #expect(throws: TestSocket.Failure.self) { try TestSocket(port: server.port) }
        #expect(try LoopbackServer(port: server.port, handler: Self.echo).port == server.port)
    }

    @Test("a port that is taken on any of the addresses is refused")
    func portInUse() throws {
        let first = try LoopbackServer(addresses: [.ipv6, .ipv4], handler: Self.echo)
        #expect(throws: SystemCallError.self) {
            try LoopbackServer(port: first.port, addresses: [.ipv4], handler: Self.echo)
        }
        guard first.addresses.contains(.ipv6) else { return }
        let six = try LoopbackServer(addresses: [.ipv6], handler: Self.echo)
        #expect(throws: SystemCallError.self) { try LoopbackServer(port: six.port, handler: Self.echo) }
    }
}

extension LoopbackLimits {
    /// For tests that are not about time: a busy machine takes long between two bytes.
    fileprivate static var patient: Self {
        var limits = Self()
        limits.idle = .seconds(60)
        return limits
    }
}
