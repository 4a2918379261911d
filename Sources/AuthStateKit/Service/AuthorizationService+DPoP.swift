import AuthStateFoundation
import AuthStateOAuth

extension AuthorizationService {
    func binding(of key: DPoPKey) -> DPoPBinding {
        DPoPBinding(key, nonces: dpopNonces, clock: configuration.clock)
    }

    /// Sends a request with a proof, and once more, with another proof, when the server wants to see a nonce first
    /// (RFC 9449, section 8).
    ///
    /// The server refuses the first request before it processes it, so that the second one spends nothing twice.
    ///
    /// - Parameters:
    ///   - key: Nil for a request without proofs, which is sent once.
    ///   - make: Makes the request anew for each sending, with the proof: a client assertion, too, is valid only once.
    /// - Throws: The errors of `make` and `send`; `AuthStateError` with `.useDPoPNonce` when the server asks again.
    func withDPoPProof(
        _ key: DPoPKey?, to url: URL, stage: AuthStateError.Stage,
        make: (_ proof: String?) async throws -> TransportRequest,
        send: (TransportRequest) async throws -> GuardedResponse
    ) async throws -> GuardedResponse {
        guard let key else { return try await send(await make(nil)) }
        var binding = binding(of: key)
        var isRepeated = false
        while true {
            let response = try await send(make(binding.proof("POST", url, stage: stage)))
            let nonce = dpopNonces.recordNonce(from: response.headers, of: url, key)
            guard (400...499).contains(response.status),
                try response.read({ OAuthErrorResponse($0.json) })?.code
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
