/// Bytes of a secret: its descriptions and mirrors show none of them, and it is compared in constant time.
public struct SecretBytes: Sendable, Hashable, Redacted {
    /// The secret itself.
    public let bytes: [UInt8]

    /// Wraps a secret.
    public init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    /// Whether two secrets are the same, in constant time.
    public static func == (a: SecretBytes, b: SecretBytes) -> Bool { ConstantTime.equals(a.bytes, b.bytes) }

    /// Feeds the secret to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The word `redacted`.
    public var description: String { "<redacted>" }
}
