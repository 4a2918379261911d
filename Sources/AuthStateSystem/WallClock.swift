public import AuthStateFoundation
import AuthStateLibc

/// The time of day that expiry is compared with; waiting uses a `Clock` instead.
public struct WallClock: Sendable {
    private let injected: (@Sendable () -> Date)?

    /// The system's clock.
    public static let system = WallClock(injected: nil)

    /// Makes a clock of your own, for tests.
    public init(now: @escaping @Sendable () -> Date) { injected = now }

    private init(injected: (@Sendable () -> Date)?) { self.injected = injected }

    /// The time now.
    public var now: Date { Date(timeIntervalSince1970: secondsSince1970) }

    /// The time now, in seconds since 1970, without allocation; the system's is read in steps of a few milliseconds.
    package var secondsSince1970: Double {
        if let injected { return injected().timeIntervalSince1970 }
        #if os(Linux)
            return SystemTime.now(by: CLOCK_REALTIME_COARSE).fractionalSeconds
        #else
            return SystemTime.now(by: CLOCK_REALTIME).fractionalSeconds
        #endif
    }
}
