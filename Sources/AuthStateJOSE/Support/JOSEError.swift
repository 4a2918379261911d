/// The reason why a key, a signature, a ciphertext or a token was refused; it contains no token, claim or key material.
public struct JOSEError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, to be compared with the static members.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code of its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The token or key does not have the form that its RFC asks for.
        public static let malformed = Code(rawValue: "malformed")
        /// No implementation of the algorithm, or of the key's type and curve.
        public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
        /// The algorithm is implemented but the caller does not accept it; `none` always fails this way.
        public static let algorithmNotAllowed = Code(rawValue: "algorithmNotAllowed")
        /// The key set has no key with the token's `kid`, or none that fits a token without one.
        public static let noMatchingKey = Code(rawValue: "noMatchingKey")
        /// A key was found, but its type, curve, `use`, `alg` or `key_ops` forbids this algorithm.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// The signature is not the key's over this content.
        public static let badSignature = Code(rawValue: "badSignature")
        /// A ciphertext cannot be opened: it was changed, or the key or the associated data are others.
        public static let decryptionFailed = Code(rawValue: "decryptionFailed")
        /// The header names extensions that must be understood (RFC 7515, section 4.1.11); none is implemented.
        public static let critNotSupported = Code(rawValue: "critNotSupported")
        /// The system's cryptographic library is missing, too old, or failed.
        public static let backendUnavailable = Code(rawValue: "backendUnavailable")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, in plain words.
    public let message: String
    /// The values that would have been accepted.
    public let expected: String?
    /// The received value; at most 100 printable ASCII characters of it.
    public let received: String?

    /// Makes an error; `received` may come from outside and is cut and cleaned.
    public init(_ code: Code, _ message: String, expected: String? = nil, received: String? = nil) {
        self.code = code
        self.message = message
        self.expected = expected
        self.received = received?.shown
    }

    /// The message, with the expected and the received value when they are known.
    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let expected { text += "; expected \(expected)" }
        if let received { text += "; received \(received)" }
        return text
    }
}
