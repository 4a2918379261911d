public import AuthStateKit
public import Logging

/// Writes what happens to states into a log.
///
/// The log holds no token, because events hold none. Events of a caller go to the task's own logger when there is one
/// (the request's, with its id); a renewal, which belongs to all callers at once, to the observer's.
public struct LoggingObserver: AuthStateObserver {
    private let logger: Logger

    /// Makes an observer.
    public init(logger: Logger) { self.logger = logger }

    /// Writes one line.
    public func authState(_ state: AuthState, did event: AuthStateEvent) {
        let line = Line(event)
        // Without a task's own logger the current one has no label.
        let logger = event.belongsToCaller && !Logger.current.label.isEmpty ? Logger.current : logger
        guard logger.logLevel <= line.level else { return }
        var metadata = line.metadata
        // Tells the states of this process apart: a key may be a session's identifier, or a user's address.
        metadata["state"] = "\(String(UInt(bitPattern: state.key.rawValue.hashValue), radix: 16))"
        // A server may have named it.
        metadata["client"] = "\(state.record.client.id.printable(100))"
        logger.log(level: line.level, line.message, metadata: metadata)
    }
}

extension AuthStateEvent {
    /// Whether it belongs to the task of a caller that asked for tokens.
    fileprivate var belongsToCaller: Bool {
        switch self {
        case .tokensRequested, .tokensDelivered, .tokensDenied: true
        default: false
        }
    }
}
