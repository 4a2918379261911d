/// Several instruments as one, for example for spans and times; the first surrounds the second, and so on.
public struct AuthStateInstrumentGroup: AuthStateInstrument {
    private let instruments: [any AuthStateInstrument]

    /// Makes a group.
    public init(_ instruments: any AuthStateInstrument...) { self.instruments = instruments }

    /// Begins a renewal in every instrument.
    public func beginRenewal(of state: AuthState) -> any RenewalInstrument {
        instruments.reduce(Nothing()) { outer, next in Nested(outer: outer, inner: next.beginRenewal(of: state)) }
    }

    private struct Nothing: RenewalInstrument {
        nonisolated(nonsending) func run<R>(
            _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
        ) async throws -> R { try await body() }
    }

    private struct Nested: RenewalInstrument {
        let outer: any RenewalInstrument
        let inner: any RenewalInstrument

        nonisolated(nonsending) func run<R>(
            _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
        ) async throws -> R { try await outer.run(step) { try await inner.run(step, body) } }
    }
}
