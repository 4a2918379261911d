import AuthStateLibc
import AuthStateSystem

/// Socket calls on plain descriptors: loopback only, never blocking, closed on exec, and without SIGPIPE.
enum LoopbackSocket {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// Returns a listening socket on one loopback address.
    ///
    /// `SO_REUSEADDR` only spares the next owner the wait for this one's connections; `SO_REUSEPORT`, which would let
    /// another process share the port, is never set.
    static func listener(on address: LoopbackAddress, port: UInt16) throws(SystemCallError) -> Int32 {
        let descriptor = socket(address == .ipv4 ? AF_INET : AF_INET6, stream, 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        do throws(SystemCallError) {
            try prepare(descriptor)
            try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            if address == .ipv6 { try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
            let bound = withSocketAddress(address, port) { bind(descriptor, $0, $1) }
            guard bound == 0 else { throw SystemCallError("bind") }
            guard listen(descriptor, 1024) == 0 else { throw SystemCallError("listen") }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns the port that a listening socket got.
    static func port(of descriptor: Int32) throws(SystemCallError) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { throw SystemCallError("getsockname") }
        // The port stands at the same place in both families.
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }

    /// Accepts the next connection; throws the reason when there is none (`EAGAIN`: none is waiting).
    static func nextConnection(of listener: Int32) throws(SystemCallError) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { throw SystemCallError("accept") }
        do throws(SystemCallError) {
            try prepare(descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns both ends of a pipe, neither of which blocks.
    static func wakePipe() throws(SystemCallError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemCallError("pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }

    /// Sends as much as fits; returns the count, or nil with `errno`.
    static func transmit(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) }
        return count >= 0 ? count : nil
    }

    /// Reads the available bytes into the buffer; returns 0 at the end, nil with `errno`.
    static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int? {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count >= 0 ? count : nil
    }

    /// Whether the last call would only have had to wait, or was interrupted.
    static var isTemporaryError: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

    /// Makes `close` send a reset instead of an orderly end.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func prepare(_ descriptor: Int32) throws(SystemCallError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK) == 0
        else { throw SystemCallError("fcntl") }
        #if canImport(Darwin)
            try set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemCallError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw SystemCallError("setsockopt")
        }
    }

    private static func withSocketAddress(
        _ address: LoopbackAddress, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        func call<T>(_ value: T) -> Int32 {
            withUnsafePointer(to: value) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<T>.size))
                }
            }
        }
        switch address {
        case .ipv4:
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = port.bigEndian
            value.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return call(value)
        case .ipv6:
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port.bigEndian
            value.sin6_addr = in6addr_loopback
            return call(value)
        }
    }
}
