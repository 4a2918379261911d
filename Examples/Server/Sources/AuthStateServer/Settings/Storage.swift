import AuthStateKit
import Logging

/// Where the states of those who are signed in are kept.
public enum Storage: Sendable, Hashable {
    /// In files of a folder, readable for this server's user alone.
    case files(folder: String)

    /// The store.
    func store(logger: Logger) throws -> any AuthStateStore {
        switch self {
        case .files(let folder):
            FileAuthStateStore(folder: folder) { warning in
                logger.warning("\(warning.message)", metadata: ["error": "\(warning)"])
            }
        }
    }
}
