import AuthStateJOSE
import AuthStateOAuth

/// The SHA-256 digest that represents a key in a folder or in the table of a database.
///
/// A key may be of any length and hold any character, NUL too, and may be secret.
package struct KeyHash: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ key: AuthStateKey) throws {
        if key.isDigest {
            guard let bytes = Fingerprint.bytes(ofHexadecimal: key.rawValue) else {
                throw AuthStateError(
                    .invalidArgument, stage: .store, "The key stands for no state of the store.",
                    expected: "64 hexadecimal digits", hint: "Take keys from entries(savedBefore:).")
            }
            self.bytes = bytes
            return
        }
        do {
            bytes = try SHA2.sha256(Array(key.rawValue.utf8))
        } catch {
            throw AuthStateError(
                .libraryUnavailable, stage: .store, "The stored state cannot be named: there is no SHA-256.",
                hint: "Install libcrypto (the package libssl3).", underlying: error)
        }
    }

    /// Two digits a byte, as `encode(key, 'hex')` of PostgreSQL writes them.
    package var text: String { Fingerprint.hexadecimal(bytes) }
}
