import AuthStateKit
import AuthStatePlatform

/// Where a login is kept.
enum StateLocation: Equatable {
    /// A file of the user's choice.
    case file(String)
    /// A folder, with a file for each profile.
    case folder(String)

    /// The place that the options name.
    init(_ options: CommonOptions) throws {
        try self.init(state: options.state, isRuntime: options.runtime, profile: options.profile)
    }

    /// `--state FILE`, with `.PROFILE` after it for any but the default profile; with `--runtime` the XDG runtime folder;
    /// else the XDG state folder.
    ///
    /// - Throws: `AuthStateError` of kind usage when there is neither `--state` nor a home, or no runtime folder;
    ///   `.storeUntrusted` for a runtime folder that other users can reach.
    init(
        state: String?, isRuntime: Bool = false, profile: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        if isRuntime {
            self = .folder("\(try RuntimeFolder.path(in: environment))/authstate")
        } else if let state {
            self = .file(profile == AuthStateKey.default.rawValue ? state : "\(state).\(profile)")
        } else if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            self = .folder("\(folder)/authstate")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self = .folder("\(home)/.local/state/authstate")
        } else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "There is no home folder to keep the login in.",
                hint: "Name a file with --state.")
        }
    }

    /// Whether the files are this program's own, with any content; a file that a user names may be another's.
    var isOwn: Bool {
        switch self {
        case .file: false
        case .folder: true
        }
    }

    /// The store at this place.
    func store(key: AuthStateKey, onWarning: (@Sendable (AuthStateError) -> Void)? = nil) -> FileAuthStateStore {
        switch self {
        case .file(let path): FileAuthStateStore(file: path, key: key, onWarning: onWarning)
        case .folder(let path): FileAuthStateStore(folder: path, onWarning: onWarning)
        }
    }
}
