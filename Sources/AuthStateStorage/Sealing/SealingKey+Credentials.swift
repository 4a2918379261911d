import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension SealingKey {
    /// Reads a key from a credential that systemd gave the service (systemd.exec(5), `LoadCredential=` and
    /// `SetCredentialEncrypted=`): the file of this name in the folder that `$CREDENTIALS_DIRECTORY` names.
    ///
    /// It holds 32 random bytes, or their base64, base64url or hexadecimal digits. Blocks while it reads.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`, naming the file and showing nothing of it;
    ///   `.invalidArgument` for the name of the credential or of the key.
    public init(id: String? = nil, systemdCredential name: String) throws {
        guard !name.isEmpty, name != ".", name != "..", !name.contains(where: { $0 == "/" || $0 == "\0" }) else {
            throw AuthStateError(
                .invalidArgument, stage: .store, "This cannot be the name of a credential.",
                expected: "the name of a file, without a slash", received: name.printable(),
                hint: "Give the name that LoadCredential= or SetCredentialEncrypted= has before its colon.")
        }
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
            throw AuthStateError(
                .credentialUnavailable, stage: .store,
                "systemd gave this process no credentials: CREDENTIALS_DIRECTORY is not set.",
                expected: "a folder with the credential \(name.printable())",
                hint: "Run it as a service with LoadCredential= or SetCredentialEncrypted= for \(name.printable()).")
        }
        let path = "\(folder)/\(name)"
        let bytes = try SecretSource.bytes(ofFile: path, holding: "a sealing key", stage: .store)
        let place = "the credential \(path.printable())"
        // 32 bytes of text are a password, and not random.
        if bytes.count == AES256GCM.keyLength, !bytes.allSatisfy({ (0x09...0x7E).contains($0) }) {
            try self.init(id: id, bytes: bytes)
        } else {
            try self.init(id: id, text: bytes, place: place)
        }
    }
}
