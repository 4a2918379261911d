/// A time of the system's clocks or of a file, in the place of `timespec`.
///
/// Swift's `Duration` has an initializer that takes a `timespec`. In an optimized build the compiler then finds the members
/// of `timespec` in a module that programs cannot import, when it reads a file that makes a `Duration` first. So the type is
/// used in this module alone, which makes none.
package struct SystemTime: Hashable, Sendable {
    package let seconds: Int
    package let nanoseconds: Int

    private init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }

    /// The wall clock, in seconds since 1970.
    package static var secondsSince1970: Double { now(by: CLOCK_REALTIME).fractionalSeconds }

    /// The wall clock, in seconds since 1970; Linux's is read in steps of a few milliseconds, which is faster.
    package static var coarseSecondsSince1970: Double {
        #if os(Linux)
            now(by: CLOCK_REALTIME_COARSE).fractionalSeconds
        #else
            secondsSince1970
        #endif
    }

    /// The time now, by a clock of the system.
    package static func now(by clock: clockid_t) -> SystemTime {
        var time = timespec()
        clock_gettime(clock, &time)
        return SystemTime(time)
    }

    /// The time of the last write to a file's content.
    package init(ofLastWriteTo file: stat) {
        #if canImport(Darwin)
            self.init(file.st_mtimespec)
        #else
            self.init(file.st_mtim)
        #endif
    }

    /// The time of the last change of anything about a file; a program cannot set it.
    package init(ofLastChangeOf file: stat) {
        #if canImport(Darwin)
            self.init(file.st_ctimespec)
        #else
            self.init(file.st_ctim)
        #endif
    }

    /// Seconds with their fraction, as precise as a `Double` is.
    package var fractionalSeconds: Double { Double(seconds) + Double(nanoseconds) * 1e-9 }
}
