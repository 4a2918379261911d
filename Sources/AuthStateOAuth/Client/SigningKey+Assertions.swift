package import AuthStateJOSE

extension SigningKey {
    /// Imports a client's key, to sign with the first of its algorithms that the provider accepts.
    ///
    /// Without an algorithm the usual one of the key's type comes first; without a list of accepted ones all are. Throws
    /// `AuthStateError` with `.unsupported` when the provider accepts none, `.credentialUnavailable` for an unusable key.
    package init(
        forAssertionsWith key: JSONWebKey, algorithm: SignatureAlgorithm?, accepted: [String]?,
        tolerances: Set<Tolerance> = [], purpose: String = "assertions", stage: AuthStateError.Stage
    ) throws {
        let possible = algorithm.map { [$0] } ?? key.algorithms
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
