import Foundation
import Synchronization

/// The loopback ports that are registered at the providers that compare them.
enum RedirectPorts {
    private static let all = (8400...8799).shuffled()
    private static let taken = Mutex(0)

    /// A port without a listener now. Tests side by side get different ones; chance keeps other programs apart.
    static func next() -> Int {
        for _ in all {
            let port = taken.withLock { count in
                defer { count += 1 }
                return all[count % all.count]
            }
            guard let listener = try? Listener(port: port) else { continue }
            listener.close()
            return port
        }
        return all[0]
    }
}

/// A socket that holds a loopback port and answers no connection.
struct Listener {
    let port: Int
    private let descriptor: Int32

    /// Holds a port; 0 is any that is free.
    init(port: Int = 0) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isHeld = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isHeld else {
            Foundation.close(descriptor)
            throw NotInTime(description: "port \(port) is taken")
        }
        self.descriptor = descriptor
        self.port = Int(in_port_t(bigEndian: address.sin_port))
    }

    func close() { Foundation.close(descriptor) }
}
