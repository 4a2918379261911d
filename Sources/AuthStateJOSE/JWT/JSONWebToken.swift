import AuthStateLibc

/// A signed JSON Web Token (RFC 7519) in its compact form, read but not trusted until `verify` succeeded.
///
/// Its descriptions show the header's algorithm and key identifier and no claim.
public struct JSONWebToken: Sendable, Hashable, Redacted {
    /// The longest token that is read, in bytes.
    package static let maximumLength = 256 * 1024

    package let header: JOSEHeader
    /// The claims, a JSON object.
    public let claims: JSONValue
    /// The bytes that are signed: header and payload in base64url, with the full stop between them.
    package let signingInput: [UInt8]
    /// The signature, in JOSE's form; empty with the algorithm `none`.
    package let signature: [UInt8]

    /// Reads a token strictly: three parts of base64url without padding, JSON objects without duplicate members.
    ///
    /// Throws ``JOSEError``: `malformed`, or `critNotSupported` (RFC 7515, section 4.1.11).
    public init(parsing compact: String) throws(JOSEError) {
        guard compact.utf8.count <= Self.maximumLength else {
            throw JOSEError(.malformed, "the token is too long", expected: "\(Self.maximumLength) bytes at most")
        }
        var bytes = Array(compact.utf8)
        guard let first = Self.stop(in: bytes, from: 0), let second = Self.stop(in: bytes, from: first + 1) else {
            throw Self.wrongParts
        }
        let third = Self.stop(in: bytes, from: second + 1)
        guard TrustCheck.tokenParts.holds(third == nil) else { throw Self.wrongParts }
        header = try JOSEHeader(json: Self.object(in: bytes[..<first], of: "header"))
        claims = try Self.object(in: bytes[(first + 1)..<second], of: "payload").tidyClaims
        guard let signature = Base64URL.decode(bytes[(second + 1)..<(third ?? bytes.endIndex)]) else {
            throw JOSEError(.malformed, "the token's signature is not base64url")
        }
        self.signature = signature
        bytes.removeSubrange(second...)
        signingInput = bytes
    }

    private static let wrongParts = JOSEError(.malformed, "the token has the wrong number of parts", expected: "3")

    private static func stop(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            let found: UnsafeMutableRawPointer? = memchr(base + start, Int32(UInt8(ascii: ".")), bytes.count - start)
            return found.map { base.distance(to: UnsafeRawPointer($0)) }
        }
    }

    private static func object(in part: ArraySlice<UInt8>, of name: String) throws(JOSEError) -> JSONValue {
        guard let bytes = Base64URL.decode(part) else {
            throw JOSEError(.malformed, "the token's \(name) is not base64url")
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw JOSEError(.malformed, "the token's \(name) is not JSON: \(error)")
        }
        guard case .object = json else { throw JOSEError(.malformed, "the token's \(name) is not a JSON object") }
        return json
    }

    /// The algorithm and the key identifier.
    public var description: String {
        "JSONWebToken(alg: \(header.algorithm.rawValue.shown), kid: \((header.keyID ?? "none").shown), claims: <redacted>)"
    }
}
