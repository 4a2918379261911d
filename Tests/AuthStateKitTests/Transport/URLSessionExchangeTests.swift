import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateKit
@testable import AuthStateTransport

struct URLSessionExchangeTests {
    /// A certificate that names itself as its issuer, and one that names another: all but the names is left out.
    private static let selfSigned = certificate(issuer: [0x31, 0x00], subject: [0x31, 0x00])
    private static let issued = certificate(issuer: [0x31, 0x00], subject: [0x31, 0x01, 0x05])

    private static func certificate(issuer: [UInt8], subject: [UInt8]) -> [UInt8] {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let version = element(0xA0, element(0x02, [2]))
        let fields =
            version + element(0x02, [1]) + element(0x30, []) + element(0x30, issuer) + element(0x30, [])
            + element(0x30, subject)
        return element(0x30, element(0x30, fields))
    }

    private func exchange(limit: Int = 10) throws -> URLSessionExchange {
        let url = try #require(URL(string: "https://op.example/token?secret=1"))
        return URLSessionExchange(
            try WireRequest(TransportRequest(url: url, timeout: .seconds(2), maximumResponseBytes: limit)))
    }

    private func outcome(
        _ exchange: URLSessionExchange, _ drive: (URLSessionExchange) -> Void
    ) async throws -> TransportResponse {
        try await withCheckedThrowingContinuation { continuation in
            #expect(exchange.wait(continuation))
            drive(exchange)
        }
    }

    private func failure(_ code: Int, chain: [[UInt8]] = []) async throws -> TransportError {
        try #require(
            await #expect(throws: TransportError.self) {
                try await outcome(try exchange()) {
                    $0.finish(URLSessionFailure(code: code, description: "Said by\nthe system", chain: chain))
                }
            })
    }

    @Test func `head and parts of the body come together, with any status`() async throws {
        let answer = try await outcome(try exchange()) { exchange in
            exchange.receive(status: 302, fields: [("Location", "https://x.example"), ("Content-Type", "text/html")])
            #expect(exchange.receive(Data("01234".utf8)) == .goOn && exchange.receive(Data("56789".utf8)) == .goOn)
            exchange.finish(nil)
        }
        #expect(answer.status == 302 && answer.body == Data("0123456789".utf8))
        #expect(answer.headers.map(\.name) == ["Content-Type", "Location"])
    }

    @Test("a body that is too long ends the exchange, and the cancelled task's error does not hide why")
    func tooLong() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await outcome(try exchange(limit: 4)) { exchange in
                exchange.receive(status: 200, fields: [])
                #expect(exchange.receive(Data("0123".utf8)) == .goOn && exchange.receive(Data("4".utf8)) == .cancel)
                exchange.finish(URLSessionFailure(code: -999, description: "cancelled"))
            }
        }
        #expect(error?.code == .responseTooLarge && error?.requestMayHaveBeenSent == true)
    }

    @Test func `a stream has its head first, pauses while the reader is behind, and ends with its failure`()
        async throws
    {
        let body = BodyPipe()
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/")), maximumResponseBytes: 1)
        let exchange = URLSessionExchange(try WireRequest(request), body: body)
        let resumed = Lock(0)
        body.onRoom { resumed.withLock { $0 += 1 } }
        let head = try await outcome(exchange) { $0.receive(status: 200, fields: [("A", "1")]) }
        #expect((head.status, head.headers["A"], head.body) == (200, "1", Data()))
        let half = Data(count: BodyPipe.limit / 2)
        #expect(exchange.receive(half) == .goOn && exchange.receive(half) == .pause)
        #expect(!exchange.hasRoom)
        // The session reports what was on its way, and each pause would want an end of its own.
        #expect(exchange.receive(half) == .goOn)
        #expect(try await body.next(atLeast: 1)?.count == BodyPipe.limit / 2 * 3 && resumed.withLock { $0 } == 1)
        #expect(exchange.hasRoom)
        #expect(exchange.receive(Data("x".utf8)) == .goOn)
        exchange.finish(URLSessionFailure(code: -1005, description: "The connection was lost"))
        #expect(try await body.next(atLeast: 1) == Data("x".utf8))
        await #expect { _ = try await body.next(atLeast: 1) } throws: {
            ($0 as? TransportError)?.code == .connectionLost
        }
    }

    @Test func `an end without a head is no answer`() async throws {
        let error = await #expect(throws: TransportError.self) { try await outcome(try exchange()) { $0.finish(nil) } }
        #expect(error?.code == .connectionLost && error?.requestMayHaveBeenSent == true)
    }

    @Test func `a caller is freed once: by its cancellation, by its time, or by the end`() async throws {
        await #expect(throws: CancellationError.self) {
            try await outcome(try exchange()) { exchange in
                exchange.cancel()
                exchange.finish(nil)
            }
        }
        let error = await #expect(throws: TransportError.self) {
            try await outcome(try exchange()) { exchange in
                exchange.timeOut()
                exchange.finish(URLSessionFailure(code: -999, description: ""))
            }
        }
        #expect(error?.code == .timedOut && error?.requestMayHaveBeenSent == true)
        #expect(error?.message.contains("2000 ms") == true)
    }

    @Test func `an exchange that ends before its caller waits keeps the reason for it`() async throws {
        let exchange = try exchange()
        exchange.timeOut()
        exchange.cancel()
        let error = await #expect(throws: TransportError.self) {
            try await withCheckedThrowingContinuation { #expect(!exchange.wait($0)) }
        }
        #expect(error?.code == .timedOut)
    }

    @Test(
        "each code has its kind, and only before there is a secure connection nothing was sent",
        arguments: [
            (-1000, .invalidRequest, false), (-1001, .timedOut, true), (-1002, .invalidRequest, false),
            (-1003, .unreachable, false), (-1004, .unreachable, false), (-1005, .connectionLost, true),
            (-1006, .unreachable, false), (-1009, .unreachable, false), (-1011, .connectionLost, true),
            (-1017, .connectionLost, true), (-1020, .unreachable, false), (-1022, .insecureConnection, false),
            (-1200, .insecureConnection, false), (-1201, .insecureConnection, false),
            (-1202, .insecureConnection, false), (-1203, .insecureConnection, false),
            (-1204, .insecureConnection, false), (-1205, .clientCertificate, false),
            (-1206, .clientCertificate, false), (310, .unreachable, false), (-1, .connectionLost, true),
        ] as [(Int, TransportError.Code, Bool)])
    func kinds(code: Int, kind: TransportError.Code, mayHaveBeenSent: Bool) async throws {
        let error = try await failure(code)
        #expect(error.code == kind && error.requestMayHaveBeenSent == mayHaveBeenSent)
        #expect(error.message.contains("op.example:443") && !error.message.contains("secret"))
        #expect(!error.message.contains("\n"))
    }

    @Test func `a development server's own certificate is named as what it is`() async throws {
        #expect(try await failure(-1202, chain: [Self.selfSigned]).message.contains("self-signed certificate"))
        #expect(try await !failure(-1202, chain: [Self.issued]).message.contains("self-signed"))
        #expect(try await !failure(-1005, chain: [Self.selfSigned]).message.contains("self-signed"))
        #expect(try await !failure(-1202, chain: [[0x30]]).message.contains("self-signed"))
    }

    @Test func `a server that our own authorities do not vouch for was not cancelled, but not trusted`() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await outcome(try exchange()) { exchange in
                exchange.refuse(chain: [Self.selfSigned])
                exchange.finish(URLSessionFailure(code: -999, description: "cancelled"))
            }
        }
        #expect(error?.code == .insecureConnection && error?.requestMayHaveBeenSent == false)
        #expect(error?.message.contains("self-signed certificate") == true)
    }
}
