#if os(Linux)
    import AuthStateJOSE
    import AuthStateLibc
    import Synchronization

    /// Hears from the kernel which names in folders changed: one inotify descriptor for the process, and no thread.
    ///
    /// The kernel queues an event before the call that made the change returns, in whichever process. Each request for
    /// a generation empties the queue, at most once in a tick of the system's coarse clock: a few milliseconds.
    final class FolderWatching: Sendable {
        /// A folder that is watched, under its number in the kernel.
        final class Folder: Sendable {
            let descriptor: Int32
            /// Whether the folder was removed or renamed: the kernel reports no more events of it.
            let isGone = Atomic(false)

            fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
        }

        private struct Folders {
            var watched: [Int32: (folder: Folder, count: Int)] = [:]
            /// Counts the folders that the kernel no longer watches.
            var ended = 0
        }

        private static let instance = Lock<FolderWatching?>(nil)

        /// The events of a name: it is renamed to or from, removed, linked, or written in place.
        private static let changes = IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_CLOSE_WRITE
        /// The events of a folder after which its path leads elsewhere.
        private static let ends = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED

        /// The number of times that events were lost: each may have been one of any name.
        let losses = Atomic<UInt32>(0)

        private let descriptor: Int32
        private let folders = Lock(Folders())
        private let lastTick = Atomic<UInt64>(0)
        private let isReading = Atomic(false)

        /// Returns nil when the system gives no descriptor: a user has 128 of them on many systems.
        init?() {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            if descriptor < 0 { return nil }
        }

        deinit { _ = close(descriptor) }

        /// The watching of this process, which is never released: closing the descriptor waits for the kernel.
        static var shared: FolderWatching? {
            instance.withLock { instance in
                if instance == nil { instance = FolderWatching() }
                return instance
            }
        }

        /// Watches a folder once more; nil when there is none, or when the kernel watches no more. May block.
        func begin(_ path: String) -> Folder? {
            // Two watches of a folder are one for the kernel: when one has ended meanwhile, it may have been this one.
            for _ in 0..<100 {
                let ended = folders.withLock { $0.ended }
                let number = inotify_add_watch(
                    descriptor, path, UInt32(Self.changes | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR))
                guard number >= 0 else { return nil }
                let folder = folders.withLock { folders -> Folder? in
                    guard folders.ended == ended else { return nil }
                    folders.watched[number, default: (Folder(number), 0)].count += 1
                    return folders.watched[number]?.folder
                }
                if let folder { return folder }
            }
            return nil
        }

        /// Watches a folder once less.
        func end(_ folder: Folder) {
            folders.withLock { folders in
                // Another folder may have its number by now only if this one is gone.
                guard let entry = folders.watched[folder.descriptor], entry.folder === folder else { return }
                folders.watched[folder.descriptor]?.count -= 1
                guard entry.count == 1 else { return }
                folders.watched[folder.descriptor] = nil
                folders.ended += 1
                inotify_rm_watch(descriptor, folder.descriptor)
            }
        }

        /// Counts the changes that the kernel has reported since the last tick; returns the seconds of the system
        /// clock.
        func catchUp() -> Int {
            let time = SystemTime.now(by: CLOCK_MONOTONIC_COARSE)
            let tick = UInt64(bitPattern: Int64(time.seconds) &* 1_000_000_000 &+ Int64(time.nanoseconds))
            if lastTick.load(ordering: .relaxed) != tick, !isReading.exchange(true, ordering: .acquiring) {
                lastTick.store(tick, ordering: .relaxed)
                readEvents()
                isReading.store(false, ordering: .releasing)
            }
            return time.seconds
        }

        /// Returns the slot in which changes of a name in a folder are counted.
        static func slot(_ folder: Int32, _ name: UnsafeRawBufferPointer) -> ChangeCounters.Slot {
            var hasher = Hasher()
            hasher.combine(folder)
            hasher.combine(bytes: name)
            return ChangeCounters.Slot(hasher)
        }

        private func readEvents() {
            // As much as fits on the stack; events beyond a thousand can wait for the next tick.
            withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
                for _ in 0..<256 {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    if count < 0, errno == EAGAIN { return }
                    guard count > 0 else { return countLoss() }
                    note(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }

        private func countLoss() { losses.wrappingAdd(1, ordering: .relaxed) }

        /// Counts the changes in a buffer of events; the name of each is padded with zeros to the length that it says.
        private func note(_ events: UnsafeRawBufferPointer) {
            let head = MemoryLayout<inotify_event>.size
            var rest = events[...]
            while rest.count >= head {
                let event = UnsafeRawBufferPointer(rebasing: rest)
                let number = event.load(as: Int32.self)
                let mask = Int32(bitPattern: event.load(fromByteOffset: 4, as: UInt32.self))
                let length = Int(event.load(fromByteOffset: 12, as: UInt32.self))
                guard head + length <= event.count else { return }
                if mask & IN_Q_OVERFLOW != 0 { countLoss() }
                if mask & Self.ends != 0 { lose(number) }
                if mask & Self.changes != 0 {
                    let name = event[head..<head + length].prefix { $0 != 0 }
                    ChangeCounters.count(Self.slot(number, UnsafeRawBufferPointer(rebasing: name)))
                }
                rest = rest.dropFirst(head + length)
            }
        }

        /// Marks a folder as gone: the kernel no longer watches it, or its path leads elsewhere.
        private func lose(_ number: Int32) {
            folders.withLock { folders in
                folders.ended += 1
                guard let entry = folders.watched.removeValue(forKey: number) else { return }
                entry.folder.isGone.store(true, ordering: .relaxed)
                inotify_rm_watch(descriptor, number)
            }
        }
    }
#endif
