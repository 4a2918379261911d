package import AuthStateLibc

/// A file descriptor that closes itself; programs that this one starts do not inherit it.
package struct OpenFile: ~Copyable, Sendable {
    private let descriptor: Int32

    package init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemCallError) {
        descriptor = try SystemCallError.check { open(path, flags | O_CLOEXEC, mode) }
    }

    deinit { _ = close(descriptor) }

    package var status: FileStatus {
        get throws(SystemCallError) {
            var status = stat()
            try SystemCallError.check { fstat(descriptor, &status) }
            return FileStatus(status)
        }
    }

    /// Reads from the current position to the end, but not more than `limit` bytes.
    package func readAll(limit: Int) throws(SystemCallError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while content.count < limit {
            let wanted = min(buffer.count, limit - content.count)
            let count = try SystemCallError.check { read(descriptor, &buffer, wanted) }
            if count == 0 { break }
            content += buffer.prefix(count)
        }
        return content
    }

    /// Makes the file consist of these bytes; a longer file is cut.
    package func overwrite(with content: [UInt8]) throws(SystemCallError) {
        try write(content)
        try cut(to: content.count)
    }

    /// Makes the file end after so many bytes.
    package func cut(to size: Int) throws(SystemCallError) {
        if try status.size != size { try SystemCallError.check { ftruncate(descriptor, off_t(size)) } }
    }

    private func write(_ content: [UInt8]) throws(SystemCallError) {
        var written = 0
        while written < content.count {
            written += try SystemCallError.check {
                content.withUnsafeBytes { bytes in
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                    return pwrite(descriptor, rest.baseAddress, rest.count, off_t(written))
                }
            }
        }
    }

    /// Sets the permissions, whatever the umask was when the file was created.
    package func setPermissions(_ mode: mode_t) throws(SystemCallError) {
        try SystemCallError.check { fchmod(descriptor, mode) }
    }

    /// Takes space from the disk ahead of writing; a file system that cannot do this is no error.
    package func preallocate(_ size: Int) throws(SystemCallError) {
        #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(size),
                fst_bytesalloc: 0)
            let code = fcntl(descriptor, F_PREALLOCATE, &request) == -1 ? errno : 0
            if code != 0 && code != ENOTSUP && code != EINVAL { throw SystemCallError(code: code) }
        #else
            // ext4, XFS and btrfs count the space when zeros are written, and find blocks only for what is kept. With
            // fallocate they would give blocks back in the journal: a tenth of the time of a durable save.
            try write([UInt8](repeating: 0, count: size))
        #endif
    }

    /// Waits until the content is on the disk itself.
    package func synchronize() throws(SystemCallError) {
        #if canImport(Darwin)
            // fsync leaves the data in the drive's cache there; some file systems offer nothing better.
            if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
        #endif
        try SystemCallError.check { fsync(descriptor) }
    }

    /// Locks the file unless another holder has locked it, in this process or another; returns whether it did.
    package func tryLock() throws(SystemCallError) -> Bool {
        do {
            try SystemCallError.check { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// Locks one byte of the file, which need not be there, unless another opening of the file has locked it; returns whether
    /// it did. The lock ends with this opening of the file, and so with the process.
    package func tryLock(byte: Int64) throws(SystemCallError) -> Bool {
        do {
            try set(F_WRLCK, byte)
            return true
        } catch {
            if error.code == EAGAIN || error.code == EACCES { return false }
            throw error
        }
    }

    package func unlock(byte: Int64) { try? set(F_UNLCK, byte) }

    private func set(_ type: Int32, _ byte: Int64) throws(SystemCallError) {
        // F_OFD_SETLK, which Swift does not import.
        #if canImport(Darwin)
            let command: Int32 = 90
        #else
            let command: Int32 = 37
        #endif
        var lock = flock()
        (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(type), Int16(SEEK_SET), off_t(byte), 1)
        try SystemCallError.check { fcntl(descriptor, command, &lock) }
    }

    #if !canImport(Darwin)
        /// Maps the file into memory that all processes share, for as long as this process lives or until `munmap`.
        package func map(_ count: Int) throws(SystemCallError) -> UnsafeMutableRawPointer {
            let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            guard let memory, memory != UnsafeMutableRawPointer(bitPattern: -1) else { throw SystemCallError() }
            return memory
        }
    #endif

    /// Releases the lock, also when a program that is being started holds a copy of the descriptor for an instant.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }
}

package struct FileStatus {
    private let raw: stat

    init(_ raw: stat) { self.raw = raw }

    package init(ofFileAt path: String) throws(SystemCallError) {
        var status = stat()
        try SystemCallError.check { stat(path, &status) }
        raw = status
    }

    /// Returns the status of a file, or of a symbolic link itself; nil when nothing has the name.
    package static func withoutFollowing(_ path: String) throws(SystemCallError) -> FileStatus? {
        var status = stat()
        if lstat(path, &status) == 0 { return FileStatus(status) }
        let code = errno
        guard code == ENOENT else { throw SystemCallError(code: code) }
        return nil
    }

    package var isLink: Bool { raw.st_mode & S_IFMT == S_IFLNK }
    package var isRegular: Bool { raw.st_mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { raw.st_mode & S_IFMT == S_IFDIR }
    package var size: Int { Int(raw.st_size) }
    /// Whether the group or other users have any permission for the file.
    package var isOpenToOthers: Bool { raw.st_mode & 0o077 != 0 }
    /// Whether the group or other users have any permission for the file; the group may read one that root owns.
    var isExposed: Bool { raw.st_mode & (raw.st_uid == 0 ? 0o037 : 0o077) != 0 }
    package var owner: uid_t { raw.st_uid }
    package var mode: mode_t { raw.st_mode }
    /// The permissions, as `chmod` takes them.
    package var permissions: String { "0" + String(raw.st_mode & 0o7777, radix: 8) }
    package var number: UInt64 { UInt64(raw.st_ino) }

    /// Returns whether the file was neither written nor replaced since, as far as the times of a file system tell.
    package func isUnchanged(since earlier: FileStatus) -> Bool {
        isSameFile(as: earlier) && size == earlier.size && lastChange == earlier.lastChange
    }

    /// The time of the last write to the content, in seconds since 1970.
    package var lastWrite: Double { SystemTime(ofLastWriteTo: raw).fractionalSeconds }
    /// The time of the last change of anything about the file; a program cannot set it.
    private var lastChange: SystemTime { SystemTime(ofLastChangeOf: raw) }

    /// Returns whether both are the same file, not only files of the same name.
    package func isSameFile(as other: FileStatus) -> Bool {
        raw.st_dev == other.raw.st_dev && raw.st_ino == other.raw.st_ino
    }

    /// Returns whether the user, or root, owns it.
    package func isOwned(by user: uid_t) -> Bool { owner == user || owner == 0 }

    /// Whether the group or other users can change it.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, other users can add files and cannot replace the owner's.
    package var isOpenToWriters: Bool { mode & 0o022 != 0 && !(isFolder && mode & 0o1000 != 0) }

    /// Returns whether no other user can have written it.
    package func isAlone(of user: uid_t = geteuid()) -> Bool { isOwned(by: user) && !isOpenToWriters }
}
