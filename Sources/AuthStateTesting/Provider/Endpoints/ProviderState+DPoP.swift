import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension ProviderState {
    /// How proofs may be signed: with a private key, never with a secret.
    static let proofAlgorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .ps256, .rs256]

    /// How long a proof is accepted, before and after its time of issue, in seconds.
    private static let proofWindow: Double = 60

    /// The provider's memory of proofs (RFC 9449).
    struct Proofs: Sendable {
        /// When the used proofs may be forgotten, by `jti`.
        var used: [String: Double] = [:]
        /// The nonce that proofs have to carry, while nonces are required.
        var nonce = Base64URL.encode(SecureRandom.bytes(12))
        /// How often the nonce was used.
        var nonceUses = 0

        /// Requires another nonce from now on.
        mutating func rotate() {
            nonce = Base64URL.encode(SecureRandom.bytes(12))
            nonceUses = 0
        }
    }

    /// The thumbprint of the key that made a request's proof; nil when there is no proof and none is required.
    ///
    /// All checks of RFC 9449, section 4.3.
    ///
    /// - Parameter accessToken: The token that came along.
    mutating func provenKey(of request: Request, accessToken: String? = nil) throws(ProviderRefusal) -> String? {
        let lines = request.headers[values: "DPoP"]
        guard let line = lines.first else { return nil }
        func refuse(_ fault: String) -> ProviderRefusal { .proof("invalid_dpop_proof", fault, of: request) }
        guard lines.count == 1, let token = try? JSONWebToken(parsing: line), let jwk = token.header.json["jwk"] else {
            throw refuse("There has to be one proof, a JWT with a jwk.")
        }
        guard let key = try? JSONWebKey(json: jwk), !key.isPrivate else {
            throw refuse("The proof's jwk is not a public key.")
        }
        let claims = token.claims
        let (identifier, issuedAt) = (claims["jti"]?.stringValue ?? "", claims["iat"]?.doubleValue ?? -.infinity)
        let hash = accessToken.flatMap { try? SHA2.sha256($0.utf8) }.map { Base64URL.encode($0) }
        let checks: [(holds: Bool, fault: String)] = [
            (token.header.type == DPoPProof.type, "The proof's typ is not \(DPoPProof.type)."),
            (token.isSigned(by: key), "The proof's signature is not its key's, or of another algorithm."),
            (claims["htm"]?.stringValue == request.method.rawValue, "The proof's htm is not \(request.method)."),
            (claims["htu"]?.stringValue == url(of: request.endpoint), "The proof's htu is not this endpoint."),
            (abs(now - issuedAt) <= Self.proofWindow, "The proof's iat is not now."),
            (!identifier.isEmpty, "The proof has no jti."),
            (claims["ath"]?.stringValue == hash, "The proof's ath is not the access token's."),
        ]
        if let failed = checks.first(where: { !$0.holds }) { throw refuse(failed.fault) }
        if configuration.dpopNonceUses != nil, claims["nonce"]?.stringValue != proofs.nonce {
            throw .proof("use_dpop_nonce", "The proof needs this provider's newest nonce.", of: request)
        }
        proofs.used = proofs.used.filter { now < $0.value }
        guard proofs.used.updateValue(now + 2 * Self.proofWindow, forKey: identifier) == nil else {
            throw refuse("The proof was used before.")
        }
        proofs.nonceUses += 1
        if let uses = configuration.dpopNonceUses, proofs.nonceUses >= uses { proofs.rotate() }
        do { return try key.thumbprintText() } catch { throw refuse("The proof's key has no thumbprint.") }
    }

    /// The same at the endpoints where tokens are issued, where a proof may be mandatory.
    mutating func provenKey(ofTokenRequest request: Request) throws(ProviderRefusal) -> String? {
        let key = try provenKey(of: request)
        guard key != nil || !configuration.requiresDPoP else {
            throw ProviderRefusal("invalid_dpop_proof", "A proof is required.")
        }
        return key
    }

    /// The nonce that goes with an answer: a client that sends a proof receives the newest one.
    func nonce(for request: Request) -> String? {
        configuration.dpopNonceUses != nil && request.headers["DPoP"] != nil ? proofs.nonce : nil
    }
}

extension JSONWebToken {
    fileprivate func isSigned(by key: JSONWebKey) -> Bool {
        (try? verify(with: VerificationKey(key), allowed: Set(ProviderState.proofAlgorithms))) != nil
    }
}

extension ProviderRefusal {
    /// An unacceptable proof: a challenge at a resource (RFC 9449, section 7.1), else an error response.
    static func proof(_ error: String, _ fault: String, of request: OpenIDProvider.Request) -> Self {
        guard [.userInfo, .resource].contains(request.endpoint) else { return Self(error, fault) }
        return .dpop(error, fault)
    }

    /// A protected resource's refusal of a bound token, or of its proof.
    static func dpop(_ error: String?, _ fault: String) -> Self {
        let algorithms = ProviderState.proofAlgorithms.map(\.rawValue).joined(separator: " ")
        let reason = error.map { #"error="\#($0)", error_description="\#(fault)", "# } ?? ""
        return Self(error ?? "unauthorized", fault, status: 401, challenge: #"DPoP \#(reason)algs="\#(algorithms)""#)
    }
}
