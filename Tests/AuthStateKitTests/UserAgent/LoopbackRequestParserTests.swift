import AuthStateKit
import AuthStateUserAgent
import Testing

struct LoopbackRequestParserTests {
    private func parse(_ text: String, _ limits: LoopbackLimits = LoopbackLimits()) -> LoopbackRequestParser.Outcome {
        var parser = LoopbackRequestParser(limits: limits)
        return parser.feed(Array(text.utf8))
    }

    @Test func `a request is read, names and values unchanged, whole or byte by byte`() throws {
        let text = "POST /cb?a=b%20c&d=?e HTTP/1.1\r\nHost:  x:1 \t\r\nX-Empty:\r\nContent-Length: 3\r\n\r\nabcrest"
        let whole = parse(text)
        guard case .request(let request) = whole else { return #expect(Bool(false), "\(whole)") }
        #expect(request.method == "POST")
        #expect(request.path == "/cb")
        #expect(request.query == "a=b%20c&d=?e")
        #expect(request.headers[values: "host"] == ["x:1"])
        #expect(request.headers[values: "x-empty"] == [""])
        #expect(request.body == Array("abc".utf8))
        #expect(request.keepsAlive)

        var parser = LoopbackRequestParser()
        var outcomes: [LoopbackRequestParser.Outcome] = []
        for byte in text.utf8.dropLast(5) { outcomes.append(parser.feed([byte])) }
        #expect(outcomes.allSatisfy { $0 == .needMore })
        #expect(outcomes.last == .needMore)
        #expect(parser.feed(Array("c".utf8)) == .request(request))
    }

    @Test func `pipelined requests come one at a time`() {
        var parser = LoopbackRequestParser()
        let one = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
        let first = parser.feed(Array((one + "\r\n" + one.replacing("GET /1", with: "GET /2") + "junk\u{1}").utf8))
        guard case .request(let a) = first, case .request(let b) = parser.feed([]) else {
            return #expect(Bool(false), "two requests")
        }
        #expect((a.path, b.path) == ("/1", "/2"))
        #expect(parser.feed([]) == .failure(status: 400))
        #expect(parser.feed(Array(one.utf8)) == .failure(status: 400), "nothing is understood after a failure")
    }

    @Test(
        "malformed requests are refused",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("\r\n\r\n", 400),
            ("GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: x\n\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\r\n", 400),
            ("GET /\u{0} HTTP/1.1\r\n", 400), ("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET /é HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /#f HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nnocolon\r\n\r\n", 400), ("GET / SPDY/3\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
            ("\u{16}\u{3}\u{1}", 400),
        ])
    func refuses(_ text: String, _ status: Int) { #expect(parse(text) == .failure(status: status)) }

    @Test func `a head that is too long is refused before it ends`() {
        #expect(
            parse("GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 16 << 10)) == .failure(status: 431)
        )
        var limits = LoopbackLimits()
        let text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        limits.headBytes = text.utf8.count
        guard case .request = parse(text, limits) else { return #expect(Bool(false), "exactly the limit") }
        limits.headBytes -= 1
        #expect(parse(text, limits) == .failure(status: 431))
    }

    @Test func `HTTP/1.0 and Connection: close end the connection`() {
        for (text, keeps) in [
            ("GET / HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n", true),
        ] {
            guard case .request(let request) = parse(text) else { return #expect(Bool(false), "\(text)") }
            #expect(request.keepsAlive == keeps)
        }
    }

    @Test func `no bytes crash it: random and mutated input, in random pieces`() {
        var random = SeededGenerator(seed: 42)
        let seed = Array(
            "POST /cb?code=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcdGET / HTTP/1.1\r\n\r\n".utf8)
        for _ in 0..<3000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert([0, 10, 13, 32, 58, 255].randomElement(using: &random) ?? 0, at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            var parser = LoopbackRequestParser()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(piece.count)
                _ = parser.feed(piece)
            }
            #expect(parser.bufferedBytes <= bytes.count)
        }
    }
}
