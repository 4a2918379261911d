import AuthStateKit
import AuthStatePlatform

/// The folder for files that end with the user's session on this machine (XDG Base Directory Specification).
enum RuntimeFolder {
    /// Returns the folder that `XDG_RUNTIME_DIR` names.
    ///
    /// - Throws: `AuthStateError` of kind usage when it names none, `.storeUntrusted` when it is not the user's alone.
    static func path(in environment: [String: String]) throws -> String {
        guard let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "There is no folder for this session: XDG_RUNTIME_DIR is not set.",
                expected: "the path of a folder, which the login manager sets",
                hint: "Log in to this machine through a login manager, or leave --runtime out.")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "XDG_RUNTIME_DIR names no folder.", received: path.printable(),
                hint: "Set XDG_RUNTIME_DIR to the folder of this session, or leave --runtime out.")
        }
        let permissions = "0" + String(status.st_mode & 0o7777, radix: 8)
        guard status.st_uid == geteuid(), status.st_mode & 0o777 == 0o700 else {
            throw AuthStateError(
                .storeUntrusted, stage: .store, "Other users may reach the folder that XDG_RUNTIME_DIR names.",
                expected: "owner \(geteuid()), permissions 0700",
                received: "owner \(status.st_uid), permissions \(permissions), at \(path.printable())",
                hint: "Set XDG_RUNTIME_DIR to the folder of this session, or leave --runtime out.")
        }
        return path
    }
}
