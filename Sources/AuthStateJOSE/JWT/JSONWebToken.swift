/// A signed JSON Web Token (RFC 7519) in its compact form, read but not trusted until `verify` succeeded.
///
/// Its descriptions show the header's algorithm and key identifier and no claim.
public struct JSONWebToken: Sendable, Hashable {
    /// The longest token that is read, in bytes.
    public static let maximumLength = 256 * 1024

    /// The header.
    public let header: JOSEHeader
    /// The claims, a JSON object.
    public let claims: JSONValue
    /// The bytes that are signed: header and payload in base64url, with the full stop between them.
    public let signingInput: [UInt8]
    /// The signature, in JOSE's form; empty with the algorithm `none`.
    public let signature: [UInt8]

    /// Reads a token strictly: three parts of base64url without padding, JSON objects without duplicate members.
    ///
    /// Throws ``JOSEError``: `malformed`, or `critNotSupported` (RFC 7515, section 4.1.11).
    public init(parsing compact: String) throws(JOSEError) {
        guard compact.utf8.count <= Self.maximumLength else {
            throw JOSEError(.malformed, "the token is too long", expected: "\(Self.maximumLength) bytes at most")
        }
        let parts = compact.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JOSEError(.malformed, "the token has the wrong number of parts", expected: "3")
        }
        header = try JOSEHeader(json: Self.object(in: parts[0], of: "header"))
        claims = try Self.object(in: parts[1], of: "payload")
        guard let signature = Base64URL.decode(Substring(parts[2])) else {
            throw JOSEError(.malformed, "the token's signature is not base64url")
        }
        self.signature = signature
        signingInput = Array(compact.utf8.prefix(upTo: parts[1].endIndex))
    }

    private static func object(in part: Substring.UTF8View, of name: String) throws(JOSEError) -> JSONValue {
        guard let bytes = Base64URL.decode(Substring(part)) else {
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
}

extension JSONWebToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm and the key identifier.
    public var description: String {
        "JSONWebToken(alg: \(header.algorithm.rawValue.shown), kid: \((header.keyID ?? "none").shown), claims: <redacted>)"
    }

    /// The same as the description.
    public var debugDescription: String { description }

    /// A mirror of what the description shows.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["alg": header.algorithm.rawValue.shown, "kid": (header.keyID ?? "none").shown],
            displayStyle: .struct)
    }
}
