package import AuthStateFoundation
import AuthStateJOSE
package import AuthStateOAuth
import AuthStateSystem

/// Tells the story of a login step by step, in plain words and without secrets: for a log on screen, or a terminal.
///
/// Set it in `AuthorizationService.Configuration.trace`. Codes, tokens, verifiers, nonces, secrets and what is known of the
/// user never appear: only parameters that are known to be none of these are shown, for the others there is `…`. A
/// failure is told as its error is described, with the provider's explanation; the advice is the detail `hint`.
public struct LoginTrace: Sendable {
    private let clock: WallClock
    /// Keeps what happens for a report; nil for a trace that only tells it.
    package let recorder: (any LoginTraceRecorder)?
    private let sink: @Sendable (Entry) -> Void
    private let memory = Memory()

    private final class Memory: Sendable {
        /// The failure that was reported last, while no other step has followed.
        let failure = Lock<AuthStateError?>(nil)
    }

    /// Makes a trace that hands every entry to a closure, synchronously in the task that takes the step: return soon. For a
    /// log on the main actor `makeStream` keeps the order.
    public init(clock: WallClock = .system, _ sink: @escaping @Sendable (Entry) -> Void) {
        self.init(clock: clock, recorder: nil, sink)
    }

    package init(
        clock: WallClock, recorder: (any LoginTraceRecorder)?, _ sink: @escaping @Sendable (Entry) -> Void
    ) {
        (self.clock, self.recorder, self.sink) = (clock, recorder, sink)
    }

    /// Makes a trace and the stream of its entries, in order; of those that were not read yet, the newest are kept.
    public static func makeStream(
        clock: WallClock = .system, keeping limit: Int = 1024
    ) -> (trace: LoginTrace, entries: AsyncStream<Entry>) {
        let (entries, continuation) = AsyncStream.makeStream(of: Entry.self, bufferingPolicy: .bufferingNewest(limit))
        return (LoginTrace(clock: clock) { continuation.yield($0) }, entries)
    }

    func note(_ step: Step, _ message: String, _ details: [Detail] = []) {
        memory.failure.withLock { $0 = nil }
        tell(Entry(date: clock.now, step: step, message: message, details: details))
    }

    private func tell(_ entry: Entry, _ error: AuthStateError? = nil) {
        recorder?.record(entry, error)
        sink(entry)
    }

    func note(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, began date: Date,
        took duration: Duration, _ message: String
    ) {
        recorder?.record(request, outcome, at: date, took: duration)
        note(.http, message)
    }

    var now: Date { clock.now }

    /// Reports a failure; one that several layers pass on, once.
    func note(failure error: any Error) {
        guard let error = error as? AuthStateError else {
            if error is CancellationError { note(.failure, "Cancelled, or out of time") }
            return
        }
        let isKnown = memory.failure.withLock { last in
            defer { last = error }
            return last == error
        }
        guard !isKnown else { return }
        var event = error
        event.hint = nil
        let details = [Detail("code", error.code.rawValue), Detail("stage", error.stage.rawValue)]
        let advice = error.hint.map { [Detail("hint", $0)] } ?? []
        tell(Entry(date: clock.now, step: .failure, message: "Failed: \(event)", details: details + advice), error)
    }
}

/// Keeps what a trace tells, and the exchanges as they are; it decides itself what of them may be shown.
package protocol LoginTraceRecorder: Sendable {
    /// A step was taken, or failed with an error.
    func record(_ entry: LoginTrace.Entry, _ error: AuthStateError?)

    /// An exchange ended.
    func record(
        _ request: TransportRequest, _ outcome: Result<TransportResponse, any Error>, at date: Date,
        took duration: Duration)

    /// Returns what is shown in place of a secret.
    func mark(_ value: String) -> String
}
