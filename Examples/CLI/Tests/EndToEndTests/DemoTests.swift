import AuthStateKit
import Testing

extension EndToEndTests {
    struct DemoTests {
        @Test func `plays the whole story, and leaves nothing behind`() async throws {
            let result = try await Program.run([Authstate.path, "demo", "--json"])
            #expect(result.status == 0, "\(result)")
            let json = try result.json()
            #expect(json["ok"] == true)
            let steps = try #require(json["steps"]?.arrayValue)
            #expect(steps.allSatisfy { $0["ok"] == true } && steps.last?["name"] == "logout", "\(steps)")
        }
    }
}
