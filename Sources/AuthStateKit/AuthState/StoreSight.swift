/// Whether the state at hand is the stored one, as far as can be told without reading the store.
struct StoreSight: Sendable {
    /// What tells of changes; without it, or if it tells of this process alone, the store is read from time to time.
    private let watch: (any AuthStateWatch)?
    /// The watch's generation when the store was read last.
    private let seen: UInt64
    /// When it was read, in seconds since 1970.
    private let date: Double
    /// For how long that counts, in seconds.
    private let interval: Double

    /// For how long a watch alone is believed, in seconds: it hears nothing of other machines on the same file system.
    private static let longest = 60.0

    /// What is true from now on, if the store is read after this.
    ///
    /// - Parameter interval: For how long to trust a reading when others are not watched, in seconds.
    init(_ watch: (any AuthStateWatch)?, at date: Double, interval: Double) {
        self.watch = watch
        self.date = date
        self.interval = watch?.showsOtherProcesses == true ? max(interval, Self.longest) : interval
        seen = watch?.generation ?? 0
    }

    /// Whether there is nothing new to be read.
    func isCurrent(at now: Double) -> Bool {
        // A clock that was set back does not put the next look off.
        abs(now - date) < interval && isUnchanged
    }

    /// Whether nobody told of a change since the store was read.
    var isUnchanged: Bool { watch.map { $0.generation == seen } ?? true }

    /// The same watching after a reading that failed: what it was about is looked for again after this interval.
    func failed(at date: Double, retryingAfter interval: Double) -> StoreSight {
        renewed(at: date - max(0, self.interval - interval))
    }

    /// Whether changes are heard of, instead of being looked for.
    var isWatching: Bool { watch != nil }

    /// The same watching, as if the store were read again after this.
    func renewed(at date: Double) -> StoreSight { StoreSight(watch, at: date, interval: interval) }
}
