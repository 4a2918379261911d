import AuthStateLibc

/// A system call that failed, with its `errno`.
package struct SystemCallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call's name; empty where the context says enough.
    package let call: String
    package let code: Int32

    package init(_ call: String = "", code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    /// Makes a call, again when a signal interrupted it, and throws its `errno` when it returns −1.
    @discardableResult
    package static func check<Result: FixedWidthInteger>(_ call: () -> Result) throws(SystemCallError) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw SystemCallError(code: code) }
        }
    }

    /// The system's text for the code, for example "Permission denied", after the call's name.
    package var description: String {
        var text = [CChar](repeating: 0, count: 256)
        let prefix = call.isEmpty ? "" : "\(call): "
        guard strerror_r(code, &text, text.count) == 0 else { return "\(prefix)error \(code)" }
        return prefix + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the same call may succeed later, without a change of the file or its permissions.
    package var isPassing: Bool {
        [EMFILE, ENFILE, ENOMEM, EIO, ENOSPC, EDQUOT, EAGAIN, EBUSY, ESTALE, ETIMEDOUT, ENOLCK].contains(code)
    }

    /// The advice for a user, where a file of theirs is concerned.
    package var hint: String {
        // Two names of one number on Linux; flock on Darwin says the second.
        Self.hints[code == ENOTSUP ? EOPNOTSUPP : code] ?? "Check the path, or keep the state somewhere else."
    }

    private static let hints: [Int32: String] = {
        let space = "Free some space, or keep the state somewhere else."
        let permission = "Make the file and its folder readable and writable for this user, or choose another folder."
        let descriptors = "Too many files are open: raise the limit (ulimit -n), or close some."
        return [
            EACCES: permission, EPERM: permission,
            EROFS: "The file system is mounted read-only: choose another folder.",
            ENOSPC: space, EDQUOT: space, EFBIG: space,
            ENOTDIR: "A part of the path is a file where a folder has to be: choose another path.",
            EISDIR: "The path is a folder where a file has to be: choose another path.",
            ENOENT: "A folder of the path, or what a symbolic link points to, is missing: create it.",
            ELOOP: "Symbolic links of the path lead in a circle, or stand where none may: remove them.",
            ENAMETOOLONG: "Choose a shorter path.",
            EMFILE: descriptors, ENFILE: descriptors,
            EIO: "The disk may be failing: check the system's log.",
            ENOLCK: "The file system has no locks: keep the state on a local disk.",
            EOPNOTSUPP: "The file system cannot do this: keep the state on a local disk.",
        ]
    }()
}
