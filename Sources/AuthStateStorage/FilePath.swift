import AuthStateJOSE
package import AuthStateLibc
import AuthStateOAuth
package import AuthStateSystem

/// The file store's operations on paths.
package enum FilePath {
    /// Returns the path from the root, so that a later change of the current folder moves no state.
    package static func absolute(_ path: String) -> String {
        let path = HomeFolder.expanded(path)
        // An empty path, and a home folder that is not known here, do not mean the current folder: see check(_:).
        if path.isEmpty || path.hasPrefix("/") || path.hasPrefix("~") { return path }
        guard let current = owned(getcwd(nil, 0)) else { return path }
        return "\(current)/\(path)"
    }

    /// Refuses a place that is empty, has a NUL character, where the system's functions would end it, or is below a home folder
    /// that is not known here: `absolute` leaves them as they are.
    package static func check(_ place: String) throws {
        if place.isEmpty {
            throw AuthStateError(
                .invalidArgument, stage: .store, "The path of the state is empty.",
                hint: "Look at the variable or the setting that it comes from.")
        }
        if place.utf8.contains(0) {
            throw AuthStateError(
                .invalidArgument, stage: .store, "The path of the state contains a NUL character.",
                hint: "Choose another path.")
        }
        if place.hasPrefix("~") {
            throw AuthStateError(
                .invalidArgument, stage: .store,
                "The path of the state begins with a home folder that is not known here.",
                expected: "a path, or ~/ with the variable HOME", received: place,
                hint: "Write the folder itself; a name in the current folder that begins so is ./~.")
        }
    }

    /// Returns everything before the last slash.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns everything after the last slash.
    static func name(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Returns the path without symbolic links; its last part need not exist yet. Where a folder is missing too, the
    /// rest of the path is taken as it is: opening a file there fails.
    ///
    /// A link in a folder that others can write is followed only if it belongs to the user, to root or to the folder's owner,
    /// as the kernel does where it follows one itself (fs.protected_symlinks).
    ///
    /// - Throws: `SystemCallError`; `AuthStateError` with `.storeUntrusted` for another user's link.
    package static func resolved(_ path: String, user: uid_t = geteuid()) throws -> String {
        var (real, rest, links) = ("", parts(of: path), 40)
        while let name = rest.first {
            rest.removeFirst()
            if name == ".." {
                real = folder(of: real) == "/" ? "" : folder(of: real)
                continue
            }
            let next = "\(real)/\(name)"
            guard let status = try FileStatus.withoutFollowing(next) else {
                return ([Substring(next)] + rest).joined(separator: "/")
            }
            guard status.isLink else {
                real = next
                continue
            }
            links -= 1
            guard links >= 0 else { throw SystemCallError(code: ELOOP) }
            try check(status, next, in: real.isEmpty ? "/" : real, user)
            let target = try linkTarget(next)
            if target.hasPrefix("/") { real = "" }
            rest = parts(of: target) + rest
        }
        return real.isEmpty ? "/" : real
    }

    private static func parts(of path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != "." }
    }

    private static func check(_ link: FileStatus, _ path: String, in folder: String, _ user: uid_t) throws {
        let folder = try FileStatus(ofFileAt: folder)
        let isOurs = [user, 0, folder.owner].contains(link.owner)
        guard !TrustCheck.storeLink.holds(isOurs || folder.mode & 0o022 == 0) else { return }
        throw AuthStateError(
            .storeUntrusted, stage: .store, "Another user's link leads to the state: \(path).",
            expected: "a link of user \(user), of root or of the folder's owner", received: "owner \(link.owner)",
            hint: "Choose a path in a folder that only you can write.")
    }

    /// Replaces a file as a whole by one that this user alone can read and write; a link is followed as `resolved` does.
    ///
    /// - Throws: `SystemCallError`; `AuthStateError` with `.storeUntrusted` for another user's link.
    package static func replace(_ path: String, with content: [UInt8]) throws {
        let path = try resolved(path)
        let draft = "\(path).\(UInt64.random(in: 0...UInt64.max)).part"
        let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            try file.overwrite(with: content)
            try SystemCallError.check { rename(draft, path) }
        } catch {
            _ = unlink(draft)
            throw error
        }
    }

    /// Creates a folder and those above it, for this user alone; existing ones stay as they are.
    package static func createFolders(to path: String) throws {
        do {
            try createFoldersOnDisk(to: path)
        } catch {
            throw AuthStateError.store(.storeUnwritable, "The folder cannot be created:", path, error)
        }
    }

    /// Brings the names in a folder to the disk: a rename is lasting only after this.
    package static func synchronizeFolder(_ path: String) throws(SystemCallError) {
        do {
            try OpenFile(path, O_RDONLY | O_DIRECTORY).synchronize()
        } catch  where error.code == EINVAL || error.code == ENOTSUP || error.code == EOPNOTSUPP {
            // Some file systems keep names safe by other means and refuse to be asked.
        }
    }

    private static func createFoldersOnDisk(to path: String) throws(SystemCallError) {
        if let status = try? FileStatus(ofFileAt: path), status.isFolder { return }
        let above = folder(of: path)
        if above != path { try createFoldersOnDisk(to: above) }
        do {
            try SystemCallError.check { mkdir(path, 0o700) }
        } catch  where error.code == EEXIST {
            return  // Another process was faster, or it is a file: then opening something in it fails.
        }
        try synchronizeFolder(above)
    }

    private static func linkTarget(_ path: String) throws(SystemCallError) -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count > 0 else { throw SystemCallError(code: errno) }
        return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the text at a pointer that the system allocated, and frees the pointer.
    private static func owned(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
