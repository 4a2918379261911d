import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// Makes proofs for one key; tokens that are bound to a key hold a single reference to it.
final class DPoPBinding: Sendable {
    let key: DPoPKey
    private let nonces: DPoPNonces
    private let clock: WallClock
    /// The nonce that an answer asked for, until the request is repeated with it.
    private let asked: Lock<DPoPNonces.Asked?>

    init(_ key: DPoPKey, nonces: DPoPNonces, clock: WallClock) {
        (self.key, self.nonces, self.clock) = (key, nonces, clock)
        asked = Lock(nil)
    }

    var now: Date { clock.now }

    private init(_ other: DPoPBinding, asked: DPoPNonces.Asked) {
        (key, nonces, clock) = (other.key, other.nonces, other.clock)
        self.asked = Lock(asked)
    }

    /// Returns the value of a `DPoP` header for one request, with the newest nonce of the server that it goes to.
    ///
    /// - Parameter accessToken: The token that goes along; nil at the endpoints where clients authenticate.
    /// - Throws: `AuthStateError` with `.credentialUnavailable`.
    func proof(
        _ method: TransportRequest.Method, _ url: URL, accessToken: String? = nil, stage: AuthStateError.Stage
    ) throws -> String {
        let signer = try key.signer(stage: stage)
        let place = ProofPlace(url)
        do {
            return try DPoPProof(
                method: method, place: place, issuedAt: clock.now, accessToken: accessToken,
                nonce: nonce(forOrigin: place.origin)
            ).signed(with: signer)
        } catch {
            throw AuthStateError(
                .libraryUnavailable, stage: stage, "The DPoP proof cannot be signed.",
                hint: "Install the system's cryptographic library.", underlying: error)
        }
    }

    func recordNonce(from headers: TransportHeaders, of url: URL) { nonces.recordNonce(from: headers, of: url, key) }

    /// Returns a binding of the same key whose next proof for a server has the nonce that the server asked for.
    ///
    /// The newest shared nonce may be another request's by then, and servers may accept each nonce only once.
    func answering(_ nonce: String, of url: URL) -> DPoPBinding {
        DPoPBinding(self, asked: DPoPNonces.Asked(origin: DPoPNonces.origin(of: url), nonce: nonce))
    }

    private func nonce(forOrigin origin: String) -> String? {
        let own = asked.withLock { asked -> String? in
            guard let known = asked, known.origin == origin else { return nil }
            asked = nil
            return known.nonce
        }
        return own ?? nonces.nonce(forOrigin: origin, key)
    }
}
