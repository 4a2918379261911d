import AuthStateJOSE

/// The two ways OAuth writes text into URLs, forms and headers.
package enum PercentEncoding {
    /// RFC 3986: everything but the unreserved characters is escaped, a space as `%20`; servers read it in queries and forms.
    package static func uri(_ text: String) -> String { encode(text, unescaped: "~") }

    /// `application/x-www-form-urlencoded` as RFC 6749, section 2.3.1, asks for in HTTP Basic: a space is `+`, `*` stays.
    package static func form(_ text: String) -> String { encode(text, unescaped: "*", spaceAsPlus: true) }

    /// Reads either form; `+` and `%20` are both spaces. Nil when an escape is malformed or the bytes are not UTF-8.
    package static func decode(_ text: Substring) -> String? {
        bytes(text, keepsEscapes: false).flatMap { String(strictUTF8: $0) }
    }

    /// Reads either form for people: malformed escapes stay, and bytes that are not UTF-8 become U+FFFD.
    static func readable(_ text: Substring) -> String {
        String(decoding: bytes(text, keepsEscapes: true) ?? [], as: UTF8.self)
    }

    /// The bytes of a text; nil when an escape is malformed, unless such escapes are kept.
    private static func bytes(_ text: Substring, keepsEscapes: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap(\.hexValue)
                if digits.count == 2 {
                    bytes.append(digits[0] << 4 | digits[1])
                    rest.removeFirst(2)
                } else if keepsEscapes {
                    bytes.append(byte)
                } else {
                    return nil
                }
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Letters, digits, `-`, `.`, `_` and one more character stay as they are.
    private static func encode(_ text: String, unescaped mark: Unicode.Scalar, spaceAsPlus: Bool = false) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isAlphanumeric || "-._".utf8.contains(byte) || byte == UInt8(ascii: mark) {
                out.append(byte)
            } else if spaceAsPlus, byte == 0x20 {
                out.append(UInt8(ascii: "+"))
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension UInt8 {
    package var hexValue: UInt8? {
        switch asciiLowercased {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: asciiLowercased - 0x61 + 10
        default: nil
        }
    }
}
