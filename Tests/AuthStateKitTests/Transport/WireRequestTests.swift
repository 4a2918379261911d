import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateTransport

struct WireRequestTests {
    private func request(_ url: String, method: TransportRequest.Method = .get, headers: TransportHeaders = [:]) throws
        -> TransportRequest
    {
        TransportRequest(method: method, url: try #require(URL(string: url)), headers: headers)
    }

    @Test(
        "only http and https with a host and without credentials can be requested",
        arguments: [
            "file:///etc/passwd", "ftp://op.example/", "https:///path", "/token", "https://user:secret@op.example/",
            "gopher://op.example:70/_", "dict://op.example/", "https://127.0.0.%31/",
        ])
    func urls(url: String) throws {
        let request = try request(url)
        let error = #expect(throws: TransportError.self) { _ = try WireRequest(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.requestMayHaveBeenSent == false)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        "a line break or another control character in a method or header is refused",
        arguments: [
            ("GET /\r\nX: y", "Accept", "text/plain"), ("GE\0T", "Accept", "text/plain"), ("", "Accept", "text/plain"),
            ("GET", "X\r\nInjected", "1"), ("GET", "X Y", "1"), ("GET", "", "1"), ("GET", "X:", "1"),
            ("GET", "X", "1\r\nInjected: 1"), ("GET", "X", "1\n2"), ("GET", "X", "1\u{0}2"), ("GET", "X", "1\u{7F}"),
        ])
    func injection(method: String, name: String, value: String) throws {
        var request = try request("https://op.example/", method: .init(rawValue: method))
        request.headers.append(name, value)
        let error = #expect(throws: TransportError.self) { _ = try WireRequest(request) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `tabs and letters beyond ASCII are allowed in header values`() throws {
        let wire = try WireRequest(request("https://op.example/", headers: ["X": "a\tb é"]))
        #expect(wire.headers.map(\.value) == ["a\tb é"])
    }

    @Test func `the headers that frame the message are the transport's own`() throws {
        let wire = try WireRequest(
            request("https://op.example/", headers: ["content-length": "9", "Transfer-Encoding": "chunked", "A": "b"]))
        #expect(wire.headers.map(\.name) == ["A"])
    }

    @Test func `messages name host and port alone`() throws {
        #expect(try WireRequest(request("https://op.example/token?code=secret")).peer == "op.example:443")
        #expect(try WireRequest(request("http://[::1]:8080/")).peer == "[::1]:8080")
        #expect(try WireRequest(request("http://op.example")).peer == "op.example:80")
    }

    @Test func `a HEAD request with a body is refused`() throws {
        var request = try request("https://op.example/", method: .head)
        request.body = Data("x".utf8)
        #expect(throws: TransportError.self) { _ = try WireRequest(request) }
    }

    @Test(
        "a timeout is never zero, which would mean none, and never too long for a timer",
        arguments: [
            (Duration.zero, 1), (.seconds(-5), 1), (.nanoseconds(1), 1), (.microseconds(1500), 2),
            (.seconds(30), 30_000),
            (.seconds(Int64.max), Int(Int32.max)),
        ])
    func timeout(duration: Duration, milliseconds: Int) { #expect(duration.wholeMilliseconds == milliseconds) }
}
