import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage

/// The SHA-256 digest that represents a key in the table.
///
/// A key may be of any length and hold any character, NUL too, and may be secret.
struct KeyHash: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ key: AuthStateKey) throws {
        if key.isDigest {
            guard let bytes = Self.bytes(of: key.rawValue) else {
                throw AuthStateError(
                    .invalidArgument, stage: .store, "The key stands for no state of the table.",
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

    private static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Two digits a byte, as `encode(key, 'hex')` writes them.
    var text: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
