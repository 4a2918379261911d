/// Digests by the SHA-2 family (FIPS 180-4), computed by the platform's library.
public enum SHA2 {
    /// The hash functions of FIPS 180-4 that JOSE's algorithms use.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// SHA-256, 32 bytes.
        case sha256
        /// SHA-384, 48 bytes.
        case sha384
        /// SHA-512, 64 bytes.
        case sha512

        /// The length of a digest, in bytes.
        public var digestLength: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }
}
