import Foundation
import Synchronization

/// Speaks as much of PostgreSQL's protocol (version 3) as a client needs to connect and to make its settings; each later
/// statement gets a test's own answer.
final class HostileDatabase: Sendable {
    let port: Int
    private let listener: Int32
    private let counter: Counter

    /// The number of connections that were made.
    var connections: Int { counter.connections.withLock { $0 } }

    /// The bytes that were sent.
    var sent: Int { counter.count.withLock { $0 } }

    /// - Parameters:
    ///   - refused: The number of connections that are refused at first, as by a pooler that has no server.
    ///   - answer: Answers a statement.
    init(refusing refused: Int = 0, answer: @escaping @Sendable (Conversation) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(listener, address, size) == 0 && listen(listener, 16) == 0
                && getsockname(listener, address, &size) == 0
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        let counter = Counter()
        (self.listener, self.counter, port) = (listener, counter, Int(UInt16(bigEndian: address.sin_port)))
        Thread.detachNewThread {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                let number = counter.connections.withLock { count in
                    count += 1
                    return count
                }
                Thread.detachNewThread { Conversation(descriptor, counter).run(answer, isRefused: number <= refused) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    fileprivate final class Counter: Sendable {
        let count = Mutex(0)
        let connections = Mutex(0)
    }

    /// One connection, whose functions block until the client has read or has gone.
    struct Conversation {
        private let descriptor: Int32
        private let counter: Counter

        fileprivate init(_ descriptor: Int32, _ counter: Counter) {
            (self.descriptor, self.counter) = (descriptor, counter)
        }

        fileprivate func run(_ answer: (Conversation) -> Void, isRefused: Bool) {
            defer { close(descriptor) }
            // The first message has no type.
            guard let length = read(4).map(Self.number), read(length - 4) != nil else { return }
            if isRefused { return refuse("08P01") }
            // The password is right, and the first statement may come.
            guard send("R", [0, 0, 0, 0]), send("Z", Array("I".utf8)) else { return }
            var isReady = false
            while let type = read(1)?.first, let length = read(4).map(Self.number), read(length - 4) != nil {
                // Sync, after which the server answers.
                guard type == UInt8(ascii: "S") else { continue }
                if isReady { answer(self) } else { isReady = rows(1, columns: 2) }
            }
        }

        /// Sends a message; false when the client has gone.
        @discardableResult
        func send(_ type: Character, _ body: [UInt8]) -> Bool {
            var bytes = [type.asciiValue ?? 0] + Self.bytes(body.count + 4) + body
            while !bytes.isEmpty {
                let count = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                counter.count.withLock { $0 += count }
                bytes.removeFirst(count)
            }
            return true
        }

        /// Answers a statement with rows.
        ///
        /// - Parameters:
        ///   - length: The length of each value.
        ///   - isLast: Whether the answer ends with them.
        @discardableResult
        func rows(_ count: Int, columns: Int, length: Int = 1, isLast: Bool = true, isFirst: Bool = true) -> Bool {
            let number = [UInt8(columns >> 8), UInt8(columns & 0xFF)]
            // A name, its end, and 18 bytes of table, type and form.
            let description = number + (0..<columns).flatMap { _ in Array("c".utf8) + [UInt8](repeating: 0, count: 19) }
            let value = Self.bytes(length) + [UInt8](repeating: UInt8(ascii: "1"), count: length)
            let row = number + (0..<columns).flatMap { _ in value }
            if isFirst { guard send("1", []), send("2", []), send("T", description) else { return false } }
            for _ in 0..<count { guard send("D", row) else { return false } }
            return !isLast || send("C", Array("SELECT 1".utf8) + [0]) && send("Z", Array("I".utf8))
        }

        /// Refuses a statement, or the connection.
        func refuse(_ state: String) {
            let text = "SERROR\0C\(state)\0Mnot now\0\0"
            if send("E", Array(text.utf8)) { send("Z", Array("I".utf8)) }
        }

        private func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: max(0, count))
            return count <= 0 || recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
        }

        private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        private static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }
    }
}
