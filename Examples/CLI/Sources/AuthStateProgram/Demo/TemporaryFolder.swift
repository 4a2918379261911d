import AuthStateKit
import AuthStatePlatform

/// A folder of its own that only this user can enter.
struct TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "authstate-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw AuthStateError(
                .storeUnwritable, stage: .store, "No temporary folder can be created.",
                hint: "Name a folder that can be written to in TMPDIR.", underlying: error)
        }
    }

    func remove() {
        // A folder that cannot be removed now is left to the system.
        try? FileManager.default.removeItem(atPath: path)
    }
}
