import AuthStateKit
import AuthStateLibc
import AuthStateUserAgent

/// A blocking client socket with a timeout on every call.
final class TestSocket: Sendable {
    struct Failure: Error {}

    private let descriptor: Int32

    init(port: UInt16, ipv6: Bool = false, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        func call<T>(_ value: T) -> Int32 {
            withUnsafePointer(to: value) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<T>.size))
                }
            }
        }
        var code: Int32
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            code = call(address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            code = call(address)
        }
        // The object is whole by now: leaving with an error runs `deinit`, which closes the descriptor.
        if code != 0 { throw Failure() }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads up to the end of the connection, a reset, or thirty seconds of silence.
    func readToEnd() -> String {
        var bytes: [UInt8] = []
        while let chunk = readSome(), !chunk.isEmpty { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }

    func read(until text: String, times: Int = 1) -> String {
        var result = ""
        while result.components(of: text) < times, let chunk = readSome(), !chunk.isEmpty {
            result += String(decoding: chunk, as: UTF8.self)
        }
        return result
    }

    /// Returns the bytes of one call: none at the end, nil on an error or a timeout.
    func readSome() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Sends a request and reads the answer to the end of the connection, off the pool.
    static func exchange(_ request: String, port: UInt16, ipv6: Bool = false) async throws -> String {
        try await offPool {
            let socket = try TestSocket(port: port, ipv6: ipv6)
            socket.send(request)
            return socket.readToEnd()
        }
    }
}

extension String {
    /// The number of times that a text occurs.
    func components(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }

    /// The status of an HTTP answer; 0 when this is none.
    var httpStatus: Int { hasPrefix("HTTP/1.1 ") ? Int(dropFirst(9).prefix(3)) ?? 0 : 0 }
}

/// Runs blocking code on a thread of its own.
func offPool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try DedicatedThread.start { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
