/// The elliptic curves of RFC 7518, section 6.2.1.1, on which JOSE defines ECDSA.
public enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    /// NIST P-256.
    case p256 = "P-256"
    /// NIST P-384.
    case p384 = "P-384"
    /// NIST P-521.
    case p521 = "P-521"

    /// The length of a coordinate, and of each half of a signature, in bytes.
    public var coordinateLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The curve's object identifier (RFC 5480, section 2.1.1.1), as a DER element's content.
    var objectIdentifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }
}
