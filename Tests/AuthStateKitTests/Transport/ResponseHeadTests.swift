import Testing

@testable import AuthStateKit
@testable import AuthStateTransport

/// The header section of an answer.
struct ResponseHeadTests {
    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { #expect(Array((line + "\r\n").utf8).withUnsafeBytes { head.append($0) }) }
        return head
    }

    @Test func `interim answers are left out, trailers and repeated fields stay apart`() {
        let found = head([
            "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "A: 1", "a:2 ", "B:", "", "Trailer: x",
        ])
        let headers = found.headers
        #expect(headers[values: "A"] == ["1", "2"])
        #expect(headers[values: "B"] == [""])
        #expect(headers["Link"] == nil)
        #expect(headers["Trailer"] == nil && found.trailers == ["Trailer": "x"])
    }

    @Test func `a folded line belongs to the field before it`() {
        let headers = head([" lost", "HTTP/1.1 200 OK", "WWW-Authenticate: Bearer", "\trealm=\"x\"", "", ""]).headers
        #expect(headers[values: "WWW-Authenticate"] == ["Bearer realm=\"x\""])
    }

    @Test func `a line without colon and bytes that are no UTF-8 do no harm`() {
        var head = head(["HTTP/1.1 200 OK", "nonsense"])
        #expect([UInt8]([0x41, 0x3A, 0xFF, 0x0A]).withUnsafeBytes { head.append($0) })
        #expect(head.headers[values: "A"] == ["\u{FFFD}"])
    }

    @Test func `sections that are too long are refused, also when they are many short ones`() {
        var head = ResponseHead()
        let line = Array("HTTP/1.1 100 Continue\r\n".utf8)
        let accepted = (0..<10_000).prefix { _ in line.withUnsafeBytes { head.append($0) } }.count
        #expect(accepted == ResponseHead.maximumBytes / line.count)
    }
}
