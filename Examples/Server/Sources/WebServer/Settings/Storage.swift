public import AuthStateKit
import AuthStatePostgres
import AuthStateServiceLifecycle
import Logging
import ServiceLifecycle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the states of signed-in users are kept.
public struct Storage: Sendable, Hashable {
    /// The place.
    public enum Place: Sendable, Hashable {
        /// Files of a folder, readable for this server's user alone; for the servers of one machine.
        case files(folder: String)
        /// A table of a PostgreSQL database; for servers on several machines.
        case database(connectionString: String)
    }

    /// The place.
    public var place: Place
    /// The keys that seal the states, the newest first; empty stores them as they are.
    public var sealingKeys: [SealingKey]

    /// Makes a choice.
    public init(_ place: Place, sealingKeys: [SealingKey] = []) {
        self.place = place
        self.sealingKeys = sealingKeys
    }

    /// The store, and the services that have to run beside it.
    func open(_ logger: Logger) async throws -> (store: any AuthStateStore, services: [any Service]) {
        let (store, services) = try await openPlace(logger)
        guard !sealingKeys.isEmpty else { return (store, services) }
        return (try SealedAuthStateStore(store, keys: sealingKeys), services)
    }

    /// Reports at the start an error that would otherwise prevent the first sign-in.
    private static func prepare(_ folder: String) throws {
        let files = FileManager.default
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SettingsError(variable: "STATE_FOLDER", problem: "the folder \(folder) cannot be created")
        }
        guard files.isWritableFile(atPath: folder) else {
            throw SettingsError(variable: "STATE_FOLDER", problem: "nothing can be written to the folder \(folder)")
        }
    }

    private func openPlace(_ logger: Logger) async throws -> (any AuthStateStore, [any Service]) {
        switch place {
        case .files(let folder):
            try Self.prepare(folder)
            let store = FileAuthStateStore(folder: folder) { warning in
                logger.warning("\(warning.message)", metadata: ["error": "\(warning)"])
            }
            return (store, [])
        case .database(let connectionString):
            let store: PostgresAuthStateStore
            do {
                store = try PostgresAuthStateStore(connectionString: connectionString)
                // The first start, by a role that may make tables.
                try await store.createSchema(onlyIfMissing: true)
            } catch let error as AuthStateError where error.kind != .store {
                throw SettingsError(variable: "DATABASE_URL", problem: "\(error)")
            }
            return (store, [PostgresStoreService(store)])
        }
    }
}
