import AuthStateJOSE
import AuthStateOAuth

/// The proof of a key in a request (RFC 9449).
struct Proof: Hashable {
    /// The thumbprint of the key that signed it.
    var thumbprint: String
    /// The nonce that it repeats.
    var nonce: String?

    /// Reads and verifies the proof of a request; nil without a good one.
    init?(_ request: TransportRequest) {
        guard let text = request.headers["DPoP"], let token = try? JSONWebToken(parsing: text),
            let key = token.header.json["jwk"].flatMap({ try? JSONWebKey(json: $0) }),
            let thumbprint = try? key.thumbprintText(),
            (try? token.verify(with: VerificationKey(key), allowed: [.es256])) != nil
        else { return nil }
        self.thumbprint = thumbprint
        nonce = token.claims["nonce"]?.stringValue
    }
}

extension SimulatedProvider {
    /// The nonce that proofs have to repeat; each serves a few requests.
    struct Nonces {
        fileprivate var number = 1
        fileprivate var uses = 0

        var newest: String { "nonce-\(number)" }
    }

    /// Whether a proof may be used now; one without the newest nonce may not, and is not looked at further.
    func takesNonce(of proof: Proof) -> Bool {
        guard rules.wantsNonces else { return true }
        guard proof.nonce == nonces.newest else { return false }
        nonces.uses += 1
        if nonces.uses % 3 == 0 { nonces.number += 1 }
        return true
    }
}
