public import AuthStateKit

extension MetricsObserver: AuthStateInstrument {
    /// Begins to measure the steps of a renewal.
    public func beginRenewal(of state: AuthState) -> any RenewalInstrument {
        Stopwatch(output: output, dimensions: state.dimensions)
    }
}

/// Measures the steps of a renewal.
private struct Stopwatch: RenewalInstrument {
    let output: Output
    let dimensions: [(String, String)]

    nonisolated(nonsending) func run<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let start = ContinuousClock.now
        do {
            let result = try await body()
            record(step, since: start, nil)
            return result
        } catch {
            record(step, since: start, error)
            throw error
        }
    }

    private func record(_ step: RenewalStep, since start: ContinuousClock.Instant, _ error: (any Error)?) {
        let name: String? =
            switch step.name {
            case .renewal: "renewal_duration"
            case .lease: "lease_duration"
            case .redeem: "token_request_duration"
            case .save: "save_duration"
            default: nil
            }
        guard let name else { return }
        // A timer without errors has the dimension too: every time series of a name needs the same ones.
        let code = (error as? AuthStateError)?.code.rawValue ?? (error == nil ? "none" : "cancelled")
        output.record(name, ContinuousClock.now - start, dimensions + [("error", code)])
    }
}
