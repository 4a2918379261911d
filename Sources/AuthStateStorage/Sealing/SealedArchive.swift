package import AuthStateFoundation
package import AuthStateJOSE
import AuthStateOAuth

/// An archive as a sealing store writes it: `{"content":"…","key":"2026-11","name":"…","sealed":1}`.
///
/// `sealed` is the format's version, and `key` names the sealing key. `content` and `name` are the archive and the key that
/// it is stored under, each as AES-256-GCM sealed it (nonce, ciphertext, tag) in base64url. The associated data of `content`
/// are the format, the sealing key's name, the key that the state is stored under, and the sealed `name`, so that none of
/// them can be another when it is opened.
package struct SealedArchive: Sendable, Hashable {
    /// The format that this version writes.
    package static let currentFormat = 1
    /// The name of the key that it is sealed with.
    let keyID: String
    private let content: [UInt8]
    /// The key that it is stored under, sealed for lists; nil in archives of versions that made no lists.
    private let name: [UInt8]?

    /// Seals an archive that is to be stored under a key.
    ///
    /// - Throws: `AuthStateError` with `.libraryUnavailable`.
    package init(sealing archive: Data, of key: AuthStateKey, with sealingKey: SealingKey) throws {
        keyID = sealingKey.id
        do {
            let cipher = try sealingKey.cipher
            let name = try cipher.seal(Array(key.rawValue.utf8), authenticating: Self.nameData(keyID))
            self.name = name
            content = try cipher.seal(archive, authenticating: Self.associatedData(keyID, key, name))
        } catch {
            throw AuthStateError.cannotSeal(error)
        }
    }

    /// Reads stored bytes, without opening them; nil when they are an archive that is not sealed.
    ///
    /// - Throws: `AuthStateError` with `.storeCorrupt`, or `.storeTooNew` when a newer version wrote them.
    package init?(data: Data) throws {
        if data.isPlainArchive { return nil }
        guard let json = try? JSONValue(parsing: [UInt8](data)), let format = json["sealed"]?.intValue, format > 0
        else { throw AuthStateError.notSealedNorArchive() }
        guard format == Self.currentFormat else { throw AuthStateError.sealedTooNew(format) }
        guard let keyID = json["key"]?.stringValue,
            let content = json["content"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw AuthStateError.notSealedNorArchive() }
        (self.keyID, self.content) = (keyID, content)
        name = json["name"]?.stringValue.flatMap { Base64URL.decode($0) }
    }

    /// The bytes to store.
    package var data: Data {
        var members: [String: JSONValue] = [
            "sealed": .number(JSONNumber(Int64(Self.currentFormat))), "key": .string(keyID),
            "content": .string(Base64URL.encode(content)),
        ]
        members["name"] = name.map { .string(Base64URL.encode($0)) }
        return Data(JSONValue.object(members).serialized())
    }

    /// Opens the archive, if it was stored under this key and one of the sealing keys is its own.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable` when none has its name, `.storeCorrupt` when it cannot be opened.
    package func open(as key: AuthStateKey, with sealingKeys: [SealingKey]) throws -> Data {
        guard let sealingKey = sealingKeys.first(where: { $0.id == keyID }) else {
            throw AuthStateError.unknownSealingKey(keyID, known: sealingKeys.map(\.id))
        }
        do {
            return Data(try sealingKey.cipher.open(content, authenticating: Self.associatedData(keyID, key, name)))
        } catch  where error.code == .decryptionFailed {
            throw AuthStateError.cannotOpen(keyID)
        } catch {
            throw AuthStateError.cannotSeal(error)
        }
    }

    /// Returns the key that the archive says it is stored under; nil when it cannot be read. `open` verifies it.
    func openKey(with sealingKeys: [SealingKey]) -> AuthStateKey? {
        guard let name, let sealingKey = sealingKeys.first(where: { $0.id == keyID }),
            let bytes = try? sealingKey.cipher.open(name, authenticating: Self.nameData(keyID))
        else { return nil }
        return AuthStateKey(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the data that is authenticated beside the key.
    private static func nameData(_ keyID: String) -> [UInt8] {
        ["AuthStateKit sealed name", "\(currentFormat)", keyID].flatMap { Array("\($0.utf8.count):\($0),".utf8) }
    }

    /// Returns whether JSON is a sealed archive of any version.
    package static func isSealed(_ json: JSONValue) -> Bool { json["sealed"] != nil }

    /// Returns the data that is authenticated beside the archive. Each part stands behind its length, so that no two
    /// lists of parts are the same bytes: `27:AuthStateKit sealed archive,1:1,7:2026-11,7:default,6:c2VhbA,`.
    private static func associatedData(_ keyID: String, _ key: AuthStateKey, _ name: [UInt8]?) -> [UInt8] {
        let name = name.map { [Base64URL.encode($0)] } ?? []
        return (["AuthStateKit sealed archive", "\(currentFormat)", keyID, key.rawValue] + name)
            .flatMap { Array("\($0.utf8.count):\($0),".utf8) }
    }
}

extension Data {
    /// Whether bytes begin as an archive does that is not sealed, readable or not; other bytes belong to another program.
    package var isPlainArchive: Bool { starts(with: Data(#"{"format":"#.utf8)) }
}
