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
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
