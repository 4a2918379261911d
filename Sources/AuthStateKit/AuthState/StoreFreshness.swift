import AuthStateStorage

/// The knowledge whether the state at hand is the stored one, as far as possible without reading the store.
struct StoreFreshness: Sendable {
    /// The watch that reports changes; without it, or when it sees this process alone, the store is read from time to
    /// time.
    private let watch: (any AuthStateWatch)?
    /// The watch's generation when the store was read last.
    private let seen: UInt64
    /// The time of that reading, in seconds since 1970.
    private let date: Double
    /// The time for which that reading counts, in seconds.
    private let interval: Double

    /// The time for which a watch alone is trusted, in seconds: it does not see other machines on the same file system.
    private static let longest = 60.0

    /// Starts a new validity window; read the store afterwards.
    ///
    /// - Parameter interval: The time for which to trust a reading when other processes are not watched, in seconds.
    init(_ watch: (any AuthStateWatch)?, at date: Double, interval: Double) {
        self.watch = watch
        self.date = date
        self.interval = watch?.showsOtherProcesses == true ? max(interval, Self.longest) : interval
        seen = watch?.generation ?? 0
    }

    /// Returns whether the last reading still counts: it is recent enough, and no change was reported since.
    func isCurrent(at now: Double) -> Bool {
        // A clock that was set back does not delay the next reading.
        abs(now - date) < interval && isUnchanged
    }

    /// Whether the watch has reported no change since the store was read.
    var isUnchanged: Bool { watch.map { $0.generation == seen } ?? true }

    /// Returns the same watch after a reading that failed: the store is read again after this interval.
    func failed(at date: Double, retryingAfter interval: Double) -> StoreFreshness {
        renewed(at: date - max(0, self.interval - interval))
    }

    var isWatching: Bool { watch != nil }

    /// Returns the same watch with a new validity window; read the store afterwards.
    func renewed(at date: Double) -> StoreFreshness { StoreFreshness(watch, at: date, interval: interval) }
}

extension AuthState.Environment {
    /// Starts a validity window now; read the store afterwards.
    func freshness(_ watch: (any AuthStateWatch)?) -> StoreFreshness {
        StoreFreshness(
            watch, at: service.configuration.clock.secondsSince1970, interval: options.storeCheckInterval.inSeconds)
    }
}
