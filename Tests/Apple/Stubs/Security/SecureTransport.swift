public struct tls_protocol_version_t: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static var TLSv10: Self { Self(rawValue: 0x0301) }
    public static var TLSv11: Self { Self(rawValue: 0x0302) }
    public static var TLSv12: Self { Self(rawValue: 0x0303) }
    public static var TLSv13: Self { Self(rawValue: 0x0304) }
}
