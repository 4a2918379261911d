import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthorizationService {
    /// Sends a request with a proof, and once more, with another proof, when the server wants to see a nonce first
    /// (RFC 9449, section 8).
    ///
    /// The server refused before it looked at the request: to send it again spends nothing twice.
    ///
    /// - Parameters:
    ///   - key: Nil for a request without proofs, which is sent once.
    ///   - make: Makes the request anew each time, with the proof: client assertions, too, are good for one request only.
    /// - Throws: What `make` and `send` throw; `AuthStateError` with `.useDPoPNonce` when the server asks a second time.
    func withDPoPProof(
        _ key: DPoPKey?, to url: URL, stage: AuthStateError.Stage,
        make: (_ proof: String?) async throws -> TransportRequest,
        send: (TransportRequest) async throws -> GuardedResponse
    ) async throws -> GuardedResponse {
        guard let key else { return try await send(await make(nil)) }
        var binding = DPoPBinding(key, self)
        var isRepeated = false
        while true {
            let response = try await send(make(binding.proof("POST", url, stage: stage)))
            let nonce = dpopNonces.learn(from: response.headers, of: url, key)
            guard (400...499).contains(response.status),
                try response.read({ OAuthErrorResponse(try? JSONValue(parsing: [UInt8]($0.body))) })?.code
                    == .useDPoPNonce
            else { return response }
            guard !isRepeated, let nonce else {
                throw AuthStateError.nonceAgain(
                    url.redactedDescription, isMissing: nonce == nil, stage: stage, status: response.status)
            }
            binding = binding.answering(nonce, of: url)
            isRepeated = true
        }
    }
}
