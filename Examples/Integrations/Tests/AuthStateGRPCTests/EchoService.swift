import AuthStateTesting
import GRPCCore
import Synchronization

/// A service whose methods return their messages, to callers with a token of the provider.
struct EchoService: RegistrableRPCService {
    private static let service = ServiceDescriptor(fullyQualifiedService: "test.Echo")
    static let unary = MethodDescriptor(service: service, method: "Unary", type: .unary)
    static let streaming = MethodDescriptor(service: service, method: "Streaming", type: .clientStreaming)

    let provider: OpenIDProvider
    let log: Log

    /// What the service received.
    final class Log: Sendable {
        private let values = Mutex<[String]>([])
        private let refusals = Mutex(0)

        /// The authorization of each call.
        var authorizations: [String] { values.withLock { $0 } }

        func append(_ value: String) { values.withLock { $0.append(value) } }

        /// Refuses the next calls, with tokens that are good.
        func refuse(_ count: Int) { refusals.withLock { $0 = count } }

        /// Returns whether a call is refused.
        func refuses() -> Bool {
            refusals.withLock { left in
                left -= 1
                return left >= 0
            }
        }
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        for method in [Self.unary, Self.streaming] {
            router.registerHandler(forMethod: method, deserializer: Bytes(), serializer: Bytes()) { request, _ in
                try admit(request.metadata)
                var messages: [[UInt8]] = []
                for try await message in request.messages { messages.append(message) }
                let answer = Array(messages.joined(separator: [0x2C]))
                return StreamingServerResponse { writer in
                    try await writer.write(answer)
                    return [:]
                }
            }
        }
    }

    private func admit(_ metadata: Metadata) throws {
        let authorization = metadata[stringValues: "authorization"].first { _ in true } ?? ""
        log.append(authorization)
        let token = authorization.split(separator: " ").last.map(String.init) ?? ""
        guard !log.refuses(), authorization.hasPrefix("Bearer "), provider.hasIssued(accessToken: token) else {
            throw RPCError(
                code: .unauthenticated, message: "The token is refused.",
                metadata: ["www-authenticate": #"Bearer error="invalid_token""#])
        }
    }
}

/// Messages that are bytes.
struct Bytes: MessageSerializer, MessageDeserializer {
    func serialize<Output: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Output { Output(message) }

    func deserialize<Input: GRPCContiguousBytes>(_ bytes: Input) throws -> [UInt8] {
        bytes.withUnsafeBytes { Array($0) }
    }
}
