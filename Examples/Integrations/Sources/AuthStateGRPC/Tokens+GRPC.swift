import AuthStateKit
import GRPCCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Metadata {
    /// Adds the tokens, in place of others.
    mutating func authorize(with tokens: Tokens, for url: URL) throws {
        for field in try tokens.authorizationHeaders(method: .post, url: url) {
            replaceOrAddString(field.value, forKey: field.name.lowercased())
        }
    }
}

extension Tokens {
    /// Records the nonce of a response.
    ///
    /// - Throws: `TokenRejected` for a call that the server refused as not authenticated.
    func check<Output>(_ response: StreamingClientResponse<Output>, of url: URL) throws {
        var rejected: RPCError?
        if case .failure(let error) = response.accepted, error.code == .unauthenticated { rejected = error }
        var answer = TransportResponse(status: rejected == nil ? 200 : 401, body: Data((rejected?.message ?? "").utf8))
        for (key, value) in rejected?.metadata ?? response.metadata {
            if case .string(let text) = value { answer.headers.append(key, text) }
        }
        try check(answer, of: url)
    }
}

extension RPCError {
    /// The error of a call that had no tokens, or whose tokens the server refused for good.
    init(_ error: AuthStateError) {
        let code: Code =
            switch error.kind {
            case .transient, .store: .unavailable
            case .reauthenticationRequired: .unauthenticated
            case .resource: error.code == .insufficientScope ? .permissionDenied : .unauthenticated
            case .cancelled: .cancelled
            case .usage, .configuration, .refused: .failedPrecondition
            }
        // The state has decided: gRPC's own repeat would find the same.
        self.init(code: code, message: error.message, metadata: ["grpc-retry-pushback-ms": "-1"], cause: error)
    }
}
