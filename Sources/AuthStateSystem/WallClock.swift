public import AuthStateFoundation
import AuthStateLibc

/// The time of day that expiry is compared with; waiting uses a `Clock` instead.
public struct WallClock: Sendable {
    /// A clock of the program's own; nil is the system's.
    package let injected: (@Sendable () -> Date)?

    /// The system's clock.
    public static let system = WallClock(injected: nil)

    /// Makes a clock of your own, for tests.
    public init(now: @escaping @Sendable () -> Date) { injected = now }

    private init(injected: (@Sendable () -> Date)?) { self.injected = injected }

    /// The time now; exact, because it decides which of two processes acted last.
    public var now: Date { injected?() ?? Date(timeIntervalSince1970: SystemTime.secondsSince1970) }
}
