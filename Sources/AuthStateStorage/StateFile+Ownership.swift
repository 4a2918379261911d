import AuthStateJOSE
package import AuthStateLibc
import AuthStateOAuth
package import AuthStateSystem

extension StateFile {
    /// Checks that no other user can have written the file: its owner and its folder's are this user or root, and no
    /// other user can change either.
    ///
    /// A state names the endpoints that get the client's secret. The folders above need no check: another user who
    /// replaces one of them still cannot make a file that this user owns. In a sticky folder the same holds for the
    /// file itself.
    ///
    /// - Throws: `AuthStateError` with `.storeUntrusted`, naming the command that mends it.
    package static func checkOwnership(_ status: FileStatus, _ path: String, user: uid_t = geteuid()) throws {
        guard !TrustCheck.storeOwnership.holds(status.isAlone(of: user)) else { return }
        let what = status.isFolder ? "folder of the state" : "state"
        let mending =
            if status.owner == user {
                "Run chmod go-w \(shellWord(path)). Sign in again if another user may have changed the state."
            } else if status.isFolder {
                "Choose a folder in it that does not exist yet: it is made for this user alone."
            } else {
                "If it is yours, run sudo chown \(user) \(shellWord(path)); otherwise choose another path."
            }
        throw AuthStateError(
            .storeUntrusted, stage: .store, "Another user can change the \(what): \(path).",
            expected: "one that only user \(user) or root owns and can change",
            received: "owner \(status.owner), permissions \(status.permissions)", hint: mending)
    }

    /// Checks the folder that the file is in, if there is one.
    func checkFolder() throws {
        guard let status = try? FileStatus(ofFileAt: folder) else { return }
        try Self.checkOwnership(status, folder)
    }

    /// Returns a path as one word of a shell's command line.
    private static func shellWord(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { $0.isAlphanumeric || "/._-+@%".utf8.contains($0) }
        return plain
            ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
