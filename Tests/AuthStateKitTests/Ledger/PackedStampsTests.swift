import Testing

@testable import AuthStateKit

struct PackedStampsTests {
    private let paths: [any WritableKeyPath<AuthState.Stamps, AuthState.Stamp> & Sendable] = [
        \.grant, \.client, \.registration, \.tokens, \.refreshToken, \.error, \.pause, \.unconfirmed, \.wish,
    ]

    @Test func `every combination of stamps is returned unchanged, and equal ones are equal`() throws {
        let choices = [AuthState.Stamp.never, AuthState.Stamp(time: 1, name: 7), AuthState.Stamp(time: 2, name: 7)]
        var seen: Set<AuthState.PackedStamps> = []
        // All combinations of three stamps in nine places.
        for number in 0..<19_683 {
            var (rest, stamps) = (number, AuthState.Stamps())
            for path in paths {
                stamps[keyPath: path] = choices[rest % 3]
                rest /= 3
            }
            let packed = AuthState.PackedStamps(stamps)
            try #require(packed.value == stamps)
            try #require(packed == AuthState.PackedStamps(stamps))
            seen.insert(packed)
        }
        #expect(seen.count == 19_683)
    }
}
