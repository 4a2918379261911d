import AuthStateKit

/// The place of the key that a stored login is sealed with.
///
/// Each sealed file names its key, and the name begins with the place: so a login is remembered to be sealed by the file
/// itself, and no second file can contradict it.
enum Seal: Hashable, Sendable {
    /// The keyring of the desktop session.
    case secretService
    /// A credential that systemd gives the service.
    case credential(String)

    /// The application whose keys the keyring has.
    static let application = "authstate"

    /// Reads the place from a name that `id(of:)` made; nil for the name of another program's key.
    init?(keyID: String) {
        if keyID.hasPrefix("secret-service.") {
            self = .secretService
        } else if keyID.hasPrefix("credential."), let end = keyID.lastIndex(of: "."), end > keyID.startIndex {
            let name = keyID[..<end].dropFirst("credential.".count)
            guard Self.isCredential(String(name)) else { return nil }
            self = .credential(String(name))
        } else {
            return nil
        }
    }

    /// Returns whether a credential of this name can be remembered: the key's name has room for as much.
    static func isCredential(_ name: String) -> Bool {
        (1...36).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
    }

    /// The place, as `--seal` takes it.
    var name: String {
        switch self {
        case .secretService: "secret-service"
        case .credential(let name): "credential:\(name)"
        }
    }

    /// The place, for a user.
    var title: String {
        switch self {
        case .secretService: "a key in the keyring"
        case .credential(let name): "the credential \(name)"
        }
    }

    /// Returns the keys of the place, the one that seals first.
    ///
    /// - Parameters:
    ///   - creates: Whether the keyring gets a key when it has none.
    ///   - limit: The time to wait for the keyring, and for the user who unlocks it.
    func keys(creates: Bool, within limit: Duration) async throws -> [SealingKey] {
        switch self {
        case .secretService:
            #if os(Linux)
                return try await SealingKey.secretServiceKeys(
                    of: Self.application, label: "authstate: key of the stored logins", creates: creates,
                    mayPrompt: Display.isPresent, within: limit
                ).map { try SealingKey(id: "secret-service.\($0.id)", bytes: $0.bytes.bytes) }
            #else
                throw AuthStateError(
                    .unsupported, stage: .store, "This system has no Secret Service.", hint: "Use another --seal.")
            #endif
        case .credential(let name):
            let key = try SealingKey(systemdCredential: name)
            return [try SealingKey(id: "credential.\(name).\(key.id)", bytes: key.bytes.bytes)]
        }
    }
}
