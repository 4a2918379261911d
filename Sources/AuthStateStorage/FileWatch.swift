#if os(Linux)
    import Synchronization

    /// Reports changes of one file, by the name that it has in its folder.
    ///
    /// After the folder was removed or renamed, it reports a possible change every second: a new folder may be there.
    final class FileWatch: AuthStateWatch {
        private let watching: FolderWatching
        private let folder: FolderWatching.Folder
        private let slot: ChangeCounters.Slot

        /// Returns nil when the folder does not exist yet, or the system's limit of watches is reached. May block.
        init?(_ file: StateFile, by watching: FolderWatching? = .shared) {
            guard let watching, let folder = watching.begin(file.folder) else { return nil }
            (self.watching, self.folder) = (watching, folder)
            slot = Array(file.name.utf8).withUnsafeBytes { FolderWatching.slot(folder.descriptor, $0) }
        }

        deinit { watching.end(folder) }

        var generation: UInt64 {
            let seconds = watching.catchUp()
            if folder.isGone.load(ordering: .relaxed) { return .max - UInt64(truncatingIfNeeded: seconds) }
            return UInt64(watching.losses.load(ordering: .relaxed)) << 32 | ChangeCounters.generation(of: slot)
        }
    }
#endif
