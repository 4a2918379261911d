public import AuthStateFoundation
import AuthStateLibc

/// The clock of a program: the time of day that expiry is compared with, and the pauses and deadlines that it waits for.
public struct WallClock: Sendable {
    /// A time of the program's own; nil is the system's.
    package let injected: (@Sendable () -> Date)?
    /// Returns what measures pauses; a stored `any Clock` would make each look at the time copy it.
    private let makeWaiting: @Sendable () -> any Clock<Duration>
    /// Measures pauses and deadlines.
    public var waiting: any Clock<Duration> { makeWaiting() }

    /// The system's clock.
    public static let system = WallClock(injected: nil, waiting: ContinuousClock())

    /// Makes a clock of your own, for tests.
    public init(waiting: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date) {
        self.init(injected: now, waiting: waiting)
    }

    private init(injected: (@Sendable () -> Date)?, waiting: any Clock<Duration>) {
        (self.injected, makeWaiting) = (injected, { waiting })
    }

    /// The time now; exact, because it decides which of two processes acted last.
    public var now: Date { injected?() ?? Date(timeIntervalSince1970: SystemTime.secondsSince1970) }
}
