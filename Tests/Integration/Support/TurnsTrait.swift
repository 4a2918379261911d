import AuthStateKit
import Testing

/// One test of all suites with this trait at a time: two Chromiums that start beside each other hinder one another.
struct TurnsTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turns = InMemoryAuthStateStore()

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite as a whole takes no turn, its tests do.
        guard testCase != nil else { return try await function() }
        try await Self.turns.withLease("turn", deadline: .seconds(240)) { _ in try await function() }
    }
}

extension Trait where Self == TurnsTrait {
    /// The suite's tests run while no other test that takes turns does.
    static var takingTurns: Self { Self() }
}
