import Foundation
import MCPClient
import Testing

struct EventStreamParserTests {
    /// The events of a stream that arrives in chunks of a size.
    private func events(_ text: String, chunk size: Int = .max) -> [EventStreamParser.Event] {
        var parser = EventStreamParser()
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))).flatMap { start in
            parser.read(Data(bytes[start..<min(start + min(size, bytes.count), bytes.count)]))
        }
    }

    @Test("lines end with LF, CR, or CR LF", arguments: ["\n", "\r", "\r\n"])
    func lineEnds(_ end: String) {
        let text = ["event: message", "data: {}", "", "data: 2", "", ""].joined(separator: end)
        #expect(events(text) == [.init(data: "{}"), .init(data: "2")])
    }

    @Test("the chunks have no influence", arguments: 1...12)
    func chunks(_ size: Int) {
        let text = "\u{FEFF}event: message\r\ndata: {\"text\": \"größer\"}\r\n\r\n: beat\r\ndata: b\r\ndata: c\r\n\r\n"
        #expect(events(text, chunk: size) == [.init(data: #"{"text": "größer"}"#), .init(data: "b\nc")])
    }

    @Test("a line's end in two chunks is one, and the empty line behind it another")
    func lineEndInChunks() {
        #expect(events("data: a\r\n\ndata: b\n\n", chunk: 1) == [.init(data: "a"), .init(data: "b")])
    }

    @Test("comments, unknown fields and fields without a value do no harm")
    func comments() {
        let text = ": beat\n\n:\n\nid: 7\nretry: 10\nother: x\nevent\ndata: a\n:x\ndata\ndata:b\n\n"
        #expect(events(text) == [.init(data: "a\n\nb")])
    }

    @Test("one space after the colon is no part of the value, a second one is")
    func spaces() {
        #expect(events("data:a\n\ndata: a\n\ndata:  a\n\n").map(\.data) == ["a", "a", " a"])
    }

    @Test("an event has its own type; one without data is none")
    func types() {
        #expect(
            events("event: ping\n\nevent: tick\ndata: 1\n\ndata: 2\n\n")
                == [.init(name: "tick", data: "1"), .init(data: "2")])
    }

    @Test("an event that the stream breaks off is none", arguments: ["data: 1", "data: 1\n", "data: 1\r\n"])
    func broken(_ text: String) {
        #expect(events(text).isEmpty)
    }

    @Test("lines without a text count as memory too")
    func emptyLines() {
        var parser = EventStreamParser()
        #expect(parser.read(Data(String(repeating: "data:\n", count: 1000).utf8)).isEmpty && parser.waitingBytes == 999)
        #expect(parser.read(Data("\n".utf8)).count == 1 && parser.waitingBytes == 0)
    }

    @Test("the identifier of the last whole event is kept, and so is the time to wait")
    func resumption() {
        var parser = EventStreamParser()
        #expect(parser.read(Data("id: 7\nretry: 1500\n".utf8)).isEmpty && parser.lastEventID == nil)
        #expect(parser.read(Data("data:\n\n".utf8)).map(\.data) == [""])
        #expect(parser.lastEventID == "7" && parser.retry == 1500)
        #expect(parser.read(Data("data: a\n\nid: 8\nretry: soon\n\nid: 9\ndata: b".utf8)).map(\.data) == ["a"])
        #expect(parser.lastEventID == "8" && parser.retry == 1500 && parser.waitingBytes == 7)
        #expect(parser.read(Data("\n\nid\n\n".utf8)).map(\.data) == ["b"])
        #expect(parser.lastEventID == "")
    }
}
