/// An IPv4 or IPv6 address.
public struct InternetAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address in network order: 4 or 16 bytes.
    public let bytes: [UInt8]

    /// Makes an address from bytes in network order; nil unless there are 4 or 16.
    public init?(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard [4, 16].contains(self.bytes.count) else { return nil }
    }

    init(ipv4: UInt32) { bytes = (0..<4).map { UInt8(truncatingIfNeeded: ipv4 >> (24 - 8 * $0)) } }

    init(ipv6: [UInt16]) { bytes = ipv6.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    /// Whether it is an address of the public internet: unicast, and "globally reachable" by IANA's special-purpose
    /// registries (RFC 6890).
    ///
    /// An IPv4 address inside an IPv6 one counts by itself where packets reach it so: mapped (`::ffff:0:0/96`) and through
    /// NAT64 (`64:ff9b::/96`). Other embeddings, 6to4 and Teredo, are not public.
    public var isPublic: Bool {
        if let embedded { return embedded.isPublic }
        if bytes.count == 16 {
            return AddressBlock.globalUnicast.contains(self) && !AddressBlock.specialIPv6.contains { $0.contains(self) }
        }
        return !AddressBlock.specialIPv4.contains { $0.contains(self) }
    }

    /// Whether it reaches this machine: 127.0.0.0/8, `::1`, and the addresses that systems take for this host (RFC 1122,
    /// section 3.2.1.3; RFC 4291, section 2.5).
    var isThisMachine: Bool {
        if let embedded { return embedded.isThisMachine }
        guard bytes.count == 16 else { return [0, 127].contains(bytes[0]) }
        guard bytes.prefix(12).allSatisfy({ $0 == 0 }) else { return false }
        // `::`, `::1`, and IPv4 addresses in the old compatible form.
        let tail = InternetAddress(bytes: bytes.suffix(4))
        return bytes[12..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
            || bytes[12...13] != [0, 0] && tail?.isThisMachine == true
    }

    /// The IPv4 address that packets to this one reach.
    private var embedded: InternetAddress? {
        guard [AddressBlock.mapped, AddressBlock.nat64].contains(where: { $0.contains(self) }) else { return nil }
        return InternetAddress(bytes: bytes.suffix(4))
    }

    /// The address as it is usually written; no zeros are left out of IPv6.
    public var description: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}

/// A block of addresses that begin with the same bits.
struct AddressBlock: Sendable {
    private let prefix: [UInt8]
    private let length: Int

    init(_ text: StaticString) {
        let parts = "\(text)".split(separator: "/")
        guard parts.count == 2, let length = Int(parts[1]),
            let address = InternetAddress(host: parts[0].contains(":") ? "[\(parts[0])]" : parts[0])
        else { preconditionFailure("not a block of addresses") }
        (self.prefix, self.length) = (address.bytes, length)
    }

    func contains(_ address: InternetAddress) -> Bool {
        guard address.bytes.count == prefix.count else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == prefix.prefix(whole) else { return false }
        return rest == 0 || address.bytes[whole] >> (8 - rest) == prefix[whole] >> (8 - rest)
    }

    static let mapped = AddressBlock("::ffff:0:0/96")
    static let nat64 = AddressBlock("64:ff9b::/96")
    /// The only block of IPv6 that is assigned for global unicast (RFC 4291, section 2.4).
    static let globalUnicast = AddressBlock("2000::/3")

    /// IANA IPv4 Special-Purpose Address Registry, multicast, and one cloud's internal service.
    static let specialIPv4: [AddressBlock] = [
        "0.0.0.0/8",  // this network (RFC 791)
        "10.0.0.0/8",  // private (RFC 1918)
        "100.64.0.0/10",  // shared, carrier-grade NAT (RFC 6598)
        "127.0.0.0/8",  // loopback (RFC 1122)
        "168.63.129.16/32",  // Azure's virtual machine agent: public by number, internal by routing
        "169.254.0.0/16",  // link-local (RFC 3927), metadata services of clouds among it
        "172.16.0.0/12",  // private (RFC 1918)
        "192.0.0.0/24",  // protocol assignments (RFC 6890)
        "192.0.2.0/24",  // documentation (RFC 5737)
        "192.88.99.0/24",  // 6to4 relays (RFC 7526)
        "192.168.0.0/16",  // private (RFC 1918)
        "198.18.0.0/15",  // benchmarking (RFC 2544)
        "198.51.100.0/24", "203.0.113.0/24",  // documentation (RFC 5737)
        "224.0.0.0/4",  // multicast (RFC 5771)
        "240.0.0.0/4",  // reserved, and limited broadcast (RFC 1112, RFC 919)
    ].map(AddressBlock.init)

    /// The blocks that IANA's IPv6 registry takes out of 2000::/3; the rest of IPv6 is no global unicast at all.
    static let specialIPv6: [AddressBlock] = [
        "2001::/23",  // protocol assignments: Teredo, benchmarking, ORCHID (RFC 2928, 4380, 5180, 7343)
        "2001:db8::/32",  // documentation (RFC 3849)
        "2002::/16",  // 6to4 (RFC 3056)
        "3fff::/20",  // documentation (RFC 9637)
    ].map(AddressBlock.init)
}
