import AuthStateJOSE
import AuthStateOAuth

/// Short texts that stand for bytes: names of files and versions of contents.
package enum Fingerprint {
    /// Returns the SHA-256 digest, two digits a byte.
    package static func of(_ bytes: [UInt8]) throws -> String {
        do {
            return hexadecimal(try SHA2.sha256(bytes))
        } catch {
            throw AuthStateError(
                .libraryUnavailable, stage: .store, "The stored state cannot be named: there is no SHA-256.",
                underlying: error)
        }
    }

    /// Returns two digits a byte, lower case, so that file systems that ignore case tell all names apart.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the 32 bytes of 64 hexadecimal digits; nil for any other text.
    package static func bytes(ofHexadecimal text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
