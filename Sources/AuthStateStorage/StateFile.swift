import AuthStateFoundation
import AuthStateLibc
import AuthStateOAuth
import AuthStateSystem

/// The file that holds a state, by its real path. Its functions block.
package struct StateFile: Sendable {
    /// A state has a few kilobytes; a file that is larger than this is something else.
    package static let sizeLimit = 4 << 20

    let path: String
    private let warnings: FileWarnings

    var lockPath: String { path + ".lock" }
    var folder: String { FilePath.folder(of: path) }
    var name: String { FilePath.name(of: path) }

    /// Follows symbolic links, so that two names of one file share a lock.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable` when the path cannot be followed, `.storeUntrusted` when a link of
    ///   another user leads elsewhere.
    init(resolving path: String, warnings: FileWarnings) throws {
        self.warnings = warnings
        do {
            self.path = try FilePath.resolved(path)
        } catch let error as SystemCallError {
            throw AuthStateError.store(.storeUnreadable, "The state cannot be found at", path, error)
        }
    }

    /// The size in bytes; 0 when there is no file.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable` when the path leads to something that is not a regular file.
    var size: Int {
        get throws {
            guard let status = try? FileStatus(ofFileAt: path) else { return 0 }
            guard status.isRegular else { throw notAFile(status) }
            return status.size
        }
    }

    /// Whether a file of this name exists, or may exist.
    var exists: Bool {
        do { return try FileStatus(ofFileAt: path).size >= 0 } catch { return error.code != ENOENT }
    }

    /// A reading of the file at one moment.
    struct Reading: Sendable {
        var stored: StoredAuthState?
        var status: FileStatus?
    }

    /// Reads the whole file, if there is one.
    func read() throws -> Reading {
        let (content, status): ([UInt8], FileStatus)
        do {
            // Without O_NONBLOCK, opening a named pipe would wait for its writer.
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            status = try file.status
            guard status.isRegular else { throw notAFile(status) }
            try Self.checkOwnership(status, path)
            try checkFolder()
            if status.isOpenToOthers { warnings.reportExposed(path) }
            content = try file.readAll(limit: Self.sizeLimit + 1)
        } catch let error as SystemCallError {
            if error.code == ENOENT { return Reading() }
            throw AuthStateError.store(.storeUnreadable, "The state cannot be read from", path, error)
        }
        guard content.count <= Self.sizeLimit else { throw tooLarge(.storeUnreadable) }
        let stored = StoredAuthState(archive: Data(content), version: try Self.version(of: content))
        return Reading(stored: stored, status: status)
    }

    /// Reads the file only if it was changed since.
    func read(since earlier: Reading) throws -> Reading {
        if let status = earlier.status, (try? FileStatus(ofFileAt: path))?.isUnchanged(since: status) == true {
            return earlier
        }
        return try read()
    }

    /// Returns the version of a content: its hash.
    static func version(of content: [UInt8]) throws -> StoredAuthState.Version {
        StoredAuthState.Version(rawValue: try Fingerprint.of(content))
    }

    /// Removes the file durably.
    func remove() throws {
        do {
            try SystemCallError.check { unlink(path) }
            try FilePath.synchronizeFolder(folder)
        } catch {
            throw AuthStateError.store(.storeUnwritable, "The state cannot be deleted from", path, error)
        }
    }

    /// Returns the error for a content that is too large to be kept.
    func tooLarge(_ code: AuthStateError.Code) -> AuthStateError {
        AuthStateError(
            code, stage: .store, "The state is too large: \(path).", expected: "at most \(Self.sizeLimit) bytes",
            hint: "Check that the path is the one of a stored state.")
    }

    private func notAFile(_ status: FileStatus) -> AuthStateError {
        AuthStateError(
            .storeUnreadable, stage: .store, "The state is not a file: \(path).", expected: "a regular file",
            received: status.isFolder ? "a folder" : "a device, a pipe or a socket", hint: "Choose another path.")
    }
}
