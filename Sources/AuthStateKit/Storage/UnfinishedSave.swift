#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A save that a crash cut short when its content was written and had not yet taken its place.
///
/// Before the content is written, its version and the one that it replaces are noted in the lock file. So the next holder
/// of the lock can tell what is whole, and where nobody has changed the state since, and ends the save: the new refresh
/// token in it may be the only one that counts.
enum UnfinishedSave {
    /// Notes a save that is about to begin.
    static func note(
        _ version: StoredAuthState.Version, replacing found: StoredAuthState.Version?, under lock: FileLock
    ) throws(SystemCallError) {
        try lock.write(note: note(version, replacing: found))
    }

    /// Ends the save of a holder that crashed; what is left of any other is removed by the next reservation.
    static func finish(_ destination: StateFile, under lock: FileLock) {
        let path = TemporaryFile.path(for: destination, under: lock)
        guard (try? FileStatus(ofFileAt: path)) != nil else { return }
        do {
            let written = try StateFile(resolving: path, warnings: FileWarnings(report: nil)).read()
            guard let version = written?.version,
                try lock.readNote() == note(version, replacing: destination.read()?.version)
            else { return }
            try OpenFile(path, O_WRONLY | O_NOFOLLOW).synchronize()
            try SystemCallError.check { rename(path, destination.path) }
            try FilePath.synchronizeFolder(destination.folder)
        } catch {
            // What refuses this refuses the holder's own reading or reservation too, and that says why.
        }
    }

    private static func note(
        _ version: StoredAuthState.Version, replacing found: StoredAuthState.Version?
    ) -> String {
        "\(found?.rawValue ?? "none") \(version.rawValue)"
    }
}
