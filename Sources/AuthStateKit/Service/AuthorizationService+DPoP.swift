import AuthStateJOSE
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthorizationService {
    /// The value of a `DPoP` header for one request, with the newest nonce of the server that it goes to.
    ///
    /// - Parameter accessToken: The token that goes along; nil at the endpoints where clients authenticate.
    /// - Throws: `AuthStateError` with `.credentialUnavailable`.
    func dpopProof(
        _ method: String, _ url: URL, key: DPoPKey, accessToken: String? = nil, stage: AuthStateError.Stage
    ) throws -> String {
        try DPoPBinding(key, self).proof(method, url, accessToken: accessToken, stage: stage)
    }

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
        make: (_ proof: String?) throws -> TransportRequest,
        send: (TransportRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        guard let key else { return try await send(make(nil)) }
        var isRepeated = false
        while true {
            let response = try await send(make(dpopProof("POST", url, key: key, stage: stage)))
            let nonce = dpopNonces.learn(from: response.headers, of: url, key)
            guard (400...499).contains(response.status),
                OAuthErrorResponse(try? JSONValue(parsing: [UInt8](response.body)))?.code == .useDPoPNonce
            else { return response }
            guard !isRepeated, nonce != nil else {
                throw AuthStateError.nonceAgain(
                    url.redactedDescription, isMissing: nonce == nil, stage: stage, status: response.status)
            }
            isRepeated = true
        }
    }
}

/// What makes proofs for one key: one reference, for those who have one.
final class DPoPBinding: Sendable {
    let key: DPoPKey
    private let nonces: DPoPNonces
    private let clock: WallClock

    init(_ key: DPoPKey, _ service: AuthorizationService) {
        self.key = key
        nonces = service.dpopNonces
        clock = service.configuration.clock
    }

    func proof(_ method: String, _ url: URL, accessToken: String?, stage: AuthStateError.Stage) throws -> String {
        let signingKey = try key.signingKey(stage: stage)
        do {
            return try DPoPProof(
                method: method, url: url, issuedAt: clock.now, accessToken: accessToken,
                nonce: nonces.nonce(for: url, key)
            ).signed(with: signingKey)
        } catch {
            throw AuthStateError(
                .libraryUnavailable, stage: stage, "The DPoP proof cannot be signed.",
                hint: "Install the system's cryptographic library.", underlying: error)
        }
    }

    func learn(from headers: TransportHeaders, of url: URL) { nonces.learn(from: headers, of: url, key) }
}
