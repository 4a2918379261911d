import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateProgram

struct AnswerMemoryTests {
    @Test("an attempt that gets no answer leaves none of an earlier one")
    func repeated() async throws {
        let lost = TransportError(.connectionLost, "Lost.", requestMayHaveBeenSent: true)
        let transport = ScriptedTransport([.json("{}", status: 401), .failure(lost)], then: .json("{}"))
        let url = try #require(URL(string: "https://api.example/v1"))
        let memory = AnswerMemory(of: url)
        let watched = memory.watching(transport)
        _ = try await watched.send(TransportRequest(url: url))
        #expect(memory.last?.status == 401)
        await #expect(throws: TransportError.self) { try await watched.send(TransportRequest(url: url)) }
        #expect(memory.last == nil)
    }
}
