import AuthStateFoundation
import AuthStateLibc
import AuthStateSystem

extension WallClock {
    /// The time now, in seconds since 1970, without allocation; the system's is read in steps of a few milliseconds.
    ///
    /// Every use of a fresh token reads it; the order of decisions needs `now`, which is exact. It is in this module,
    /// because a call from another one cannot be inlined.
    package var secondsSince1970: Double {
        if let injected { injected().timeIntervalSince1970 } else { SystemTime.coarseSecondsSince1970 }
    }
}
