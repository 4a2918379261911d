import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension SealingKey {
    /// Reads a key from an environment variable: 32 bytes as base64, base64url or hexadecimal digits.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`, naming the variable and showing nothing of it;
    ///   `.invalidArgument` for the name of the key.
    public init(id: String? = nil, environment variable: String) throws {
        let text = try SecretSource.variable(variable, holding: "a sealing key", stage: .store)
        try self.init(id: id, text: Array(text.utf8), place: "the environment variable \(variable)")
    }

    /// Reads a key from a file that only its owner can read: 32 bytes as base64, base64url or hexadecimal digits.
    ///
    /// Blocks while it reads. White space around the key does not count.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`, naming the file and showing nothing of it;
    ///   `.invalidArgument` for the name of the key.
    public init(id: String? = nil, file path: String) throws {
        let text = try SecretSource.bytes(ofFile: path, holding: "a sealing key", stage: .store)
        try self.init(id: id, text: text, place: "the file \(path)")
    }

    /// Takes a key from the text that was read from a place.
    init(id: String?, text: [UInt8], place: String) throws {
        guard let bytes = Self.decode(String(decoding: text, as: UTF8.self)), bytes.count == AES256GCM.keyLength else {
            throw AuthStateError(
                .credentialUnavailable, stage: .store, "There is no sealing key in \(place).",
                expected: "32 bytes as base64, base64url or 64 hexadecimal digits", hint: Self.recipe)
        }
        try self.init(id: id, bytes: bytes)
    }

    /// Returns the bytes of a text. 64 hexadecimal digits would be 48 bytes of base64: no text means two keys.
    private static func decode(_ text: String) -> [UInt8]? {
        let text = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
        return Fingerprint.bytes(ofHexadecimal: text) ?? Base64.decode(text) ?? Base64URL.decode(text)
    }
}
