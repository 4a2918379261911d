import AuthStateKit
import Testing

@testable import AuthStatePostgres
@testable import AuthStateStorage
@testable import AuthStateSystem

struct ChangeHubTests {
    @Test("a change that has passed wakes the task that missed it, and no other")
    func passed() throws {
        let (hub, key) = (ChangeHub(), try KeyHash("a"))
        hub.changeRuns(by: 1)
        hub.note([key.text])
        let next = hub.change(of: key, after: 1)
        #expect(hub.change(of: key, after: 0).isFinished)
        #expect(!next.isFinished)
        #expect(!hub.change(of: key, after: 1).isFinished)
        hub.note([key.text])
        #expect(next.isFinished)
    }
}
