public var AF_INET: Int32 { 2 }
public var AF_INET6: Int32 { 30 }
public var SOCK_STREAM: Int32 { 1 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_REUSEADDR: Int32 { 0x4 }
public var SO_LINGER: Int32 { 0x80 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var IPPROTO_IPV6: Int32 { 41 }
public var IPV6_V6ONLY: Int32 { 27 }
public var POLLIN: Int32 { 0x1 }
public var POLLOUT: Int32 { 0x4 }
public var SHUT_WR: Int32 { 1 }
public let in6addr_loopback = in6_addr()

@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ protocol: Int32) -> Int32 { fatalError() }
@discardableResult public func bind(_ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t) -> Int32
{
    fatalError()
}
@discardableResult public func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { fatalError() }
@discardableResult public func accept(
    _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func getsockname(
    _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ length: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func setsockopt(
    _ socket: Int32, _ level: Int32, _ option: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t
) -> Int32 { fatalError() }
@discardableResult public func send(
    _ socket: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32
) -> Int { fatalError() }
@discardableResult public func recv(
    _ socket: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32
) -> Int { fatalError() }
@discardableResult public func poll(
    _ descriptors: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ timeout: Int32
) -> Int32 { fatalError() }
@discardableResult public func shutdown(_ socket: Int32, _ how: Int32) -> Int32 { fatalError() }
