import AuthStateKit
import Logging

/// An event as a line of a log.
struct Line {
    var level: Logger.Level
    var message: Logger.Message
    var metadata: Logger.Metadata = [:]

    init(_ event: AuthStateEvent) {
        switch event {
        case .tokensRequested(let joined):
            self.init(.debug, "waiting for tokens", ["joined": "\(joined)"])
        case .tokensDelivered: self.init(.debug, "got tokens")
        case .tokensDenied(let error): self.init("got no tokens", error)
        case .renewalStarted: self.init(.debug, "renewing tokens")
        case .renewed: self.init(.info, "renewed tokens")
        case .scopeWidened(let scopes):
            self.init(
                .notice, "the provider granted more than was asked for",
                ["scope": "\(scopes.map { $0.rawValue.printable() }.joined(separator: " "))"])
        case .loginExpiring(let date): self.init(.notice, "the login ends soon", ["ends": "\(date)"])
        case .renewalFailed(let error): self.init("renewing tokens failed", error)
        case .idTokenUnverified(let error): self.init("the renewed ID token could not be verified", error)
        case .lateResultDropped: self.init(.notice, "dropped a renewal that came after a login or logout")
        case .adopted: self.init(.debug, "took over what another process stored")
        case .readFailed(let error): self.init("could not read the stored state", error)
        case .saveFailed(let error): self.init("could not save the state", error)
        case .changed(let current):
            self.init(
                .debug, "the state changed",
                ["authorized": "\(current.isAuthorized)", "revision": "\(current.revision)"])
        }
    }

    private init(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        self.level = level
        self.message = message
        self.metadata = metadata
    }

    private init(_ message: Logger.Message, _ error: AuthStateError) {
        self.init(
            Self.levels[error.kind] ?? .error, message,
            [
                "code": "\(error.code.rawValue)", "stage": "\(error.stage.rawValue)", "kind": "\(error.kind)",
                "error": "\(error)",
            ])
    }

    /// A transient error is a warning, one that the user has to act on a notice, one that the operator has to act on an
    /// error.
    private static let levels: [AuthStateError.Kind: Logger.Level] = [
        .transient: .warning, .reauthenticationRequired: .notice, .cancelled: .debug, .resource: .warning,
    ]
}
