import AuthStateKit

/// How the program ends, for scripts to branch on.
public enum ExitReason: Int32, Sendable, CaseIterable {
    /// Everything was done.
    case done = 0
    /// The protected resource answered with an error status.
    case resource = 1
    /// The call was wrong.
    case usage = 64
    /// The provider's answer failed a check, or is malformed.
    case refused = 65
    /// The provider is unreachable or failing: try again.
    case unavailable = 69
    /// The store is locked, or cannot be read or written; or the output cannot be written.
    case store = 75
    /// No user is logged in, consent was refused, or the grant is gone: log in again.
    case login = 77
    /// Discovery, client, redirect or registration have to be corrected.
    case configuration = 78
    /// The program that `run` names cannot be started.
    case commandNotStarted = 126
    /// There is no program of the name that `run` names.
    case commandNotFound = 127
    /// Cancelled.
    case cancelled = 130

    /// The status for a kind of error.
    init(_ kind: AuthStateError.Kind) {
        switch kind {
        case .usage: self = .usage
        case .configuration: self = .configuration
        case .refused: self = .refused
        case .transient: self = .unavailable
        case .store: self = .store
        case .reauthenticationRequired: self = .login
        case .resource: self = .resource
        case .cancelled: self = .cancelled
        }
    }
}
