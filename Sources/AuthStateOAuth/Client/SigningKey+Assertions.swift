package import AuthStateJOSE

extension SigningKey {
    /// Imports a client's key, to sign with the first of its algorithms that the provider accepts.
    ///
    /// - Parameters:
    ///   - algorithm: The one that the client is registered for; nil takes the usual one of the key's type first.
    ///   - accepted: `token_endpoint_auth_signing_alg_values_supported` or another such list; nil accepts all.
    ///   - tolerances: Those of the provider; `.shortSecret` applies here.
    ///   - purpose: The kind of content to be signed, for errors.
    /// - Throws: `AuthStateError` with `.unsupported` when the provider accepts none of them, `.credentialUnavailable` when
    ///   the key cannot be used.
    package init(
        forAssertionsWith key: JSONWebKey, algorithm: SignatureAlgorithm?, accepted: [String]?,
        tolerances: Set<Tolerance> = [], purpose: String = "assertions", stage: AuthStateError.Stage
    ) throws {
        let possible = algorithm.map { [$0] } ?? key.assertionAlgorithms
        guard let chosen = possible.first(where: { accepted?.contains($0.rawValue) ?? true }) else {
            throw AuthStateError(
                .unsupported, stage: stage, "The provider does not accept \(purpose) that the client's key can sign.",
                expected: accepted?.joined(separator: ", "),
                received: possible.map(\.rawValue).joined(separator: ", "),
                hint: purpose == "assertions"
                    ? "Use a key of another type, or another way of client authentication."
                    : "Use a key of another type.")
        }
        do { try key.checkLength(for: chosen, isTolerated: tolerances.contains(.shortSecret)) } catch {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The client cannot sign \(purpose): \(error.message).",
                expected: error.expected, received: error.received,
                hint: "Get a longer secret from the provider. Tolerate shortSecret if that is impossible.")
        }
        do { try self.init(key, algorithm: chosen) } catch {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The client's key cannot sign \(purpose).",
                hint: "Use a private key for \(chosen.rawValue).", underlying: error)
        }
    }
}

extension JSONWebKey {
    /// The algorithms that the key supports, the usual one first; a key that names its own has no other.
    fileprivate var assertionAlgorithms: [SignatureAlgorithm] {
        if let algorithm { return [SignatureAlgorithm(rawValue: algorithm)] }
        return switch material {
        case .rsa: [.rs256, .ps256, .rs384, .ps384, .rs512, .ps512]
        case .ellipticCurve(.p256, _, _): [.es256]
        case .ellipticCurve(.p384, _, _): [.es384]
        case .ellipticCurve(.p521, _, _): [.es512]
        case .ed25519: [.edDSA, .ed25519]
        case .symmetric: [.hs256, .hs384, .hs512]
        }
    }
}
