#if os(Linux)
    import Glibc
    import Testing

    /// A loopback port that is taken and has no listener: connections to it are refused.
    final class ReservedPort {
        let number: UInt16
        private let descriptor: Int32

        private struct Taken: Error {}

        /// - Parameter port: 0 is any that is free.
        /// - Throws: When another socket has the port.
        init(_ port: UInt16 = 0) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            number = UInt16(bigEndian: address.sin_port)
            // Not `#require`, which notes a failure of the test also where the next port is tried.
            guard isBound else { throw Taken() }
        }

        deinit { close(descriptor) }

        /// A port that can be released and taken again: none that the system hands to other tests meanwhile.
        static func free() throws -> UInt16 {
            try #require(
                (20_000..<30_000).lazy.map { _ in .random(in: 20_000..<30_000) }.first { (try? Self($0)) != nil })
        }
    }
#endif
