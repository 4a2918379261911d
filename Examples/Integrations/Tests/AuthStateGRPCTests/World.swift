import AuthStateGRPC
import AuthStateKit
import AuthStateTesting
import Foundation
import GRPCCore
import GRPCNIOTransportCore
import GRPCNIOTransportHTTP2Posix

/// A state at a provider, and a gRPC server on loopback that takes the provider's tokens.
struct World {
    let provider: OpenIDProvider
    let service = AuthorizationService()
    let state: AuthState
    let log = EchoService.Log()

    init() async throws {
        provider = try await OpenIDProvider()
        let client = try await Client(service.discoverConfiguration(issuer: provider.issuer), id: "app")
        state = try await AuthState.logIn(
            .browser(AuthorizationRequest(client), DirectUserAgent()), at: .memory(service: service))
    }

    /// Runs a body with a client whose calls have the interceptor, and are made once more with a renewed token or not.
    func withClient(
        repeats: Bool = true, _ interceptor: (URL) -> AuthorizationInterceptor,
        _ body: (GRPCClient<HTTP2ClientTransport.Posix>) async throws -> Void
    ) async throws {
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext)
        try await withGRPCServer(transport: transport, services: [EchoService(provider: provider, log: log)]) { _ in
            let address = try await transport.listeningAddress
            guard let port = address.ipv4?.port, let url = URL(string: "http://127.0.0.1:\(port)") else {
                throw URLError(.badURL)
            }
            try await withGRPCClient(
                transport: .http2NIOPosix(
                    target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
                    serviceConfig: ServiceConfig(methodConfig: repeats ? [Self.repeating] : [])),
                interceptors: [interceptor(url)], handleClient: body)
        }
        await provider.stop()
    }

    /// Runs a body with a client whose calls have the state's tokens.
    func withClient(
        repeats: Bool = true, _ body: (GRPCClient<HTTP2ClientTransport.Posix>) async throws -> Void
    ) async throws {
        try await withClient(repeats: repeats, { AuthorizationInterceptor(state, server: $0) }, body)
    }

    private static let repeating = MethodConfig(names: [.init(service: "")], executionPolicy: .retry(.withRenewedToken))
}

extension GRPCClient {
    /// Sends one message, and returns the answer.
    func echo(_ text: String) async throws -> String {
        try await unary(
            request: ClientRequest(message: Array(text.utf8)), descriptor: EchoService.unary, serializer: Bytes(),
            deserializer: Bytes(), options: .defaults
        ) { String(decoding: try $0.message, as: UTF8.self) }
    }

    /// Streams messages, and returns the answer.
    func stream(_ texts: [String]) async throws -> String {
        let request = StreamingClientRequest<[UInt8]> { writer in
            for text in texts { try await writer.write(Array(text.utf8)) }
        }
        return try await clientStreaming(
            request: request, descriptor: EchoService.streaming, serializer: Bytes(), deserializer: Bytes(),
            options: .defaults
        ) { String(decoding: try $0.message, as: UTF8.self) }
    }
}
