#if os(Linux)
    import AuthStateJOSE
    import Glibc

    /// A server on loopback that sends exactly the bytes a test writes down. One thread; ends with its last reference.
    final class RawServer: Sendable {
        /// A step on the connection; steps happen in order, and after the last one the connection stays open.
        enum Action: Sendable {
            case send([UInt8])
            case close
            /// Closes with RST.
            case reset
            /// One byte of "x" at each turn of the loop, about every 10 ms, for ever.
            case drip
            /// Bytes as fast as the client takes them, for ever; `flooded` counts them.
            case flood
            /// Lets no other client connect; the connections that there are stay.
            case stopListening
        }

        struct Request: Sendable {
            /// The number of the connection, from 0 in order of arrival.
            var connection: Int
            var head: String
            var body: [UInt8]
        }

        let port: UInt16
        private let shared = Shared()

        private final class Shared: Sendable {
            let requests = Lock<[Request]>([])
            let openConnections = Lock<Int>(0)
            let flooded = Lock<(bytes: Int, stalls: Int)>((0, 0))
            let later = Lock<[Action]>([])
            let isStopped = Lock<Bool>(false)
        }

        var requests: [Request] { shared.requests.withLock { $0 } }
        var openConnections: Int { shared.openConnections.withLock { $0 } }
        /// The bytes of floods that clients have taken, buffers of the system included, and the turns since without room.
        var flooded: (bytes: Int, stalls: Int) { shared.flooded.withLock { $0 } }
        /// Performs actions on all connections that there are.
        func perform(_ actions: Action...) { shared.later.withLock { $0 += actions } }
        var url: String { "http://127.0.0.1:\(port)" }

        init(_ answer: @escaping @Sendable (Request) -> [Action]) {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            port = withUnsafeMutableBytes(of: &address) { bytes in
                let pointer = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: sockaddr.self)
                precondition(bind(listener, pointer, length) == 0 && listen(listener, 512) == 0)
                getsockname(listener, pointer, &length)
                return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
            }
            let loop = Unmanaged.passRetained(Loop(listener: listener, shared: shared, answer: answer))
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Loop>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, loop.toOpaque())
            pthread_detach(thread)
        }

        deinit { shared.isStopped.withLock { $0 = true } }

        private final class Loop {
            struct Connection {
                var number: Int
                var received: [UInt8] = []
                var drips = false
                var floods = false
            }

            var listener: Int32
            let shared: Shared
            let answer: @Sendable (Request) -> [Action]
            var connections: [Int32: Connection] = [:]
            var accepted = 0

            init(listener: Int32, shared: Shared, answer: @escaping @Sendable (Request) -> [Action]) {
                (self.listener, self.shared, self.answer) = (listener, shared, answer)
            }

            func run() {
                while !shared.isStopped.withLock({ $0 }) {
                    let descriptors = [listener] + Array(connections.keys)
                    var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                    poll(&waiting, nfds_t(waiting.count), 10)
                    for entry in waiting where entry.revents != 0 {
                        entry.fd == listener ? acceptOne() : receive(entry.fd)
                    }
                    for (descriptor, connection) in connections where connection.drips { write(descriptor, [0x78]) }
                    for (descriptor, connection) in connections where connection.floods { flood(descriptor) }
                    for action in shared.later.withLock({ actions in
                        defer { actions = [] }; return actions
                    }) {
                        for descriptor in connections.keys { perform(action, descriptor) }
                    }
                }
                for descriptor in connections.keys { drop(descriptor) }
                stopListening()
            }

            /// The descriptor is negative from here on, which `poll` and `close` ignore.
            func stopListening() {
                close(listener)
                listener = -1
            }

            func acceptOne() {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                connections[descriptor] = Connection(number: accepted)
                accepted += 1
                shared.openConnections.withLock { $0 += 1 }
            }

            func receive(_ descriptor: Int32) {
                var buffer = [UInt8](repeating: 0, count: 65536)
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return drop(descriptor) }
                connections[descriptor]?.received += buffer[..<count]
                while let request = nextRequest(descriptor) {
                    shared.requests.withLock { $0.append(request) }
                    for action in answer(request) { perform(action, descriptor) }
                }
            }

            /// Takes a whole request off what was received.
            func nextRequest(_ descriptor: Int32) -> Request? {
                guard let connection = connections[descriptor] else { return nil }
                let text = connection.received
                guard
                    let end = (0..<max(0, text.count - 3)).first(where: {
                        text[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
                    })
                else { return nil }
                let head = String(decoding: text[..<end], as: UTF8.self)
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                let bodyLength = length.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
                guard text.count >= end + 4 + bodyLength else { return nil }
                connections[descriptor]?.received.removeFirst(end + 4 + bodyLength)
                return Request(
                    connection: connection.number, head: head, body: Array(text[end + 4..<end + 4 + bodyLength]))
            }

            func perform(_ action: Action, _ descriptor: Int32) {
                switch action {
                case .send(let bytes): write(descriptor, bytes)
                case .drip: connections[descriptor]?.drips = true
                case .flood: connections[descriptor]?.floods = true
                case .close: drop(descriptor)
                case .stopListening: stopListening()
                case .reset:
                    var option = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                    drop(descriptor)
                }
            }

            func write(_ descriptor: Int32, _ bytes: [UInt8]) {
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { return drop(descriptor) }
                    rest = rest.dropFirst(count)
                }
            }

            func flood(_ descriptor: Int32) {
                let bytes = [UInt8](repeating: 0x78, count: 1 << 20)
                let count = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                shared.flooded.withLock { $0 = count > 0 ? ($0.bytes + count, 0) : ($0.bytes, $0.stalls + 1) }
            }

            func drop(_ descriptor: Int32) {
                guard connections.removeValue(forKey: descriptor) != nil else { return }
                close(descriptor)
                shared.openConnections.withLock { $0 -= 1 }
            }
        }
    }

    extension RawServer.Action {
        /// Text whose line ends become CRLF.
        static func text(_ text: String) -> Self {
            .send(Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8))
        }

        static func answer(_ status: String = "200 OK", _ headers: String = "", body: String = "") -> Self {
            .text("HTTP/1.1 \(status)\n\(headers)Content-Length: \(body.utf8.count)\n\n\(body)")
        }
    }
#endif
