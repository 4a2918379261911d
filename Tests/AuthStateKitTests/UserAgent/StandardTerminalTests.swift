import AuthStateLibc
import Testing

@testable import AuthStateKit
@testable import AuthStateUserAgent

@Suite(.timeLimit(.minutes(5))) struct StandardTerminalTests {
    @Test func `lines are read one at a time, then the rest, then the end`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = Array("one\r\n\nlast".utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        var read: [String?] = []
        for _ in 0..<4 { read.append(try await StandardTerminal.readLine(from: ends[0])) }
        #expect(read == ["one\r", "", "last", nil])
    }

    @Test("a cancelled reader is free at once and takes nothing")
    func cancel() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let reading = Task { [input = ends[0]] in try await StandardTerminal.readLine(from: input) }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}
