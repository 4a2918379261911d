package import AuthStateJOSE

extension ClientCredential {
    /// The party that vouches for the endpoints that a credential is sent to. Known to this process only, never
    /// archived.
    ///
    /// A stored state names endpoints, and the place of the secret. Where another program can write the store, neither
    /// may decide alone: a changed endpoint would send the secret to an attacker, a changed place would read any file
    /// or environment variable and send that.
    ///
    /// A secret that a registration issued (`Source.issued`) needs no custody: it is in the same archive as the endpoints, so
    /// that a writer who changes the one has read the other. The same holds for the registration access token.
    package indirect enum Custody: Sendable, Hashable {
        /// The request: the program made it, or no other program can have written the state that it comes from.
        case request
        /// The provider that the program named.
        case provider(NamedProvider)
        /// Nothing: the program gave the credential, and a state that others can write names the endpoints.
        case none
        /// Nothing: a state that others can write names the place of the secret.
        case unnamed
    }

    /// Returns the credential for one provider alone: it is sent to no origin but those of that provider's endpoints.
    ///
    /// ```swift
    /// credential: .environment("CLIENT_SECRET").restricted(to: .issuer("https://op.example"))
    /// ```
    ///
    /// Needed where states are stored unsealed and other programs can write the store, see
    /// `AuthStateStore.mayBeWrittenByOthers`; recommended everywhere. The endpoints come from what is named here, for an issuer
    /// from discovery of it. A request to another origin throws `.credentialWithheld` and sends nothing. The provider is not
    /// archived.
    public func restricted(to provider: NamedProvider) -> Self {
        guard isProof else { return self }
        var copy = self
        copy.custody = .provider(provider)
        return copy
    }

    /// Whether a request with the credential proves anything, by a secret, a key, or a certificate.
    package var isProof: Bool { source != .none || method?.usesCertificate == true }

    /// The credential as a stored state that others can write names it: one that the program allows, or one that is withheld.
    package func distrusted(allowing allowed: [ClientCredential]) -> Self {
        guard isProof else { return self }
        switch source {
        case .issued: return self
        // The archive has no secret, and the next use says so.
        case .value, .function: return self
        case .none, .environment, .file: break
        }
        if let named = allowed.first(where: { $0.isSamePlace(as: self) }) { return named.unvouched }
        var copy = self
        copy.custody = .unnamed
        return copy
    }

    /// The program's credential for a stored state that others can write: only its provider vouches for endpoints.
    package var unvouched: Self {
        guard isProof, custody == .request else { return self }
        if case .issued = source { return self }
        var copy = self
        copy.custody = .none
        return copy
    }

    /// The credential that replaces another one in a state that others can write: it keeps the custody of the former.
    package func succeeding(_ former: Self) -> Self {
        guard isProof, custody == .request, case .provider = former.custody else { return unvouched }
        var copy = self
        copy.custody = former.custody
        return copy
    }

    private func isSamePlace(as other: Self) -> Bool {
        source == other.source && isAssertion == other.isAssertion
            && (method?.usesCertificate == true) == (other.method?.usesCertificate == true)
    }

    /// Refuses to read a secret whose place is named only by a stored state that others can write. Throws
    /// `AuthStateError` with `.credentialWithheld`.
    package func checkNamed(stage: AuthStateError.Stage) throws {
        guard TrustCheck.credentialReference.holds(custody != .unnamed) else {
            throw AuthStateError(
                .credentialWithheld, stage: stage,
                "The stored state names the \(self), and other programs can write the store.",
                expected: "a credential that the program gives or allows", received: "\(self)",
                hint: "Give restore or the pool the credential, list it in AuthState.Options.allowedCredentials, "
                    + "or seal the store.")
        }
    }

    /// Refuses to send the credential to an origin that is not among those of the provider that the program named. Throws
    /// `AuthStateError` with `.credentialWithheld`.
    package func check(origin: String, among origins: Set<String>, stage: AuthStateError.Stage) throws {
        guard TrustCheck.credentialOrigin.holds(origins.contains(origin)) else {
            throw AuthStateError(
                .credentialWithheld, stage: stage,
                "The client's credential was not sent to an endpoint that the program did not name.",
                expected: origins.isEmpty
                    ? "a credential that is bound to its provider" : origins.sorted().joined(separator: ", "),
                received: origin,
                hint: origins.isEmpty
                    ? "Other programs can write the store. Bind the credential with restricted(to:), or seal the store."
                    : "Sign in again if the provider has moved; otherwise find out who changed the stored state.")
        }
    }
}

extension TrustCheck {
    /// The client's credential goes only to origins that the program named, where others can write the stored state.
    package static let credentialOrigin = TrustCheck("credentialOrigin")
    /// A secret is not read when only a stored state that others can write names its place.
    package static let credentialReference = TrustCheck("credentialReference")
}
