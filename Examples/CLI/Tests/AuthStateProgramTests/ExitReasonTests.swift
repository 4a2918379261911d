import AuthStateKit
import Testing

@testable import AuthStateProgram

struct ExitReasonTests {
    @Test(
        "each kind of error has its documented exit code",
        arguments: [
            .usage: 64, .refused: 65, .transient: 69, .store: 75, .reauthenticationRequired: 77, .configuration: 78,
            .resource: 1, .cancelled: 130,
        ] as [AuthStateError.Kind: Int32])
    func kinds(kind: AuthStateError.Kind, code: Int32) { #expect(ExitReason(kind).rawValue == code) }

    @Test func `no kind is forgotten`() {
        #expect(Set(AuthStateError.Kind.allCases.map { ExitReason($0) }).count == AuthStateError.Kind.allCases.count)
    }

    @Test func `a login that times out says so and is worth another try`() async {
        await #expect {
            try await TimeLimit.run(seconds: 0.01, stage: .authorization) { try await Task.sleep(for: .seconds(60)) }
        } throws: { error in
            let error = error as? AuthStateError
            return error?.code == .timedOut && error?.stage == .authorization
                && error.map { ExitReason($0.kind) } == .unavailable
        }
    }

    @Test func `an unforeseen error still has a stage and a code`() {
        struct Odd: Error {}
        #expect(AuthStateError(ending: Odd(), stage: .logout).stage == .logout)
        #expect(AuthStateError(ending: CancellationError(), stage: .token).kind == .cancelled)
    }
}
