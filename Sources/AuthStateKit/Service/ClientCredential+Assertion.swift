import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

extension ClientCredential {
    /// Reads the assertion from its source, anew for every request, because its issuer replaces it. Throws
    /// `AuthStateError` with `.credentialUnavailable`, naming the variable or file and showing nothing of it.
    func issuedAssertion(stage: AuthStateError.Stage) throws -> String {
        guard let text = try content("an assertion", stage: stage, mayBeRead: true) else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The assertion is not given.",
                hint: "Give a credential that says where it is.")
        }
        let assertion = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // A key or a secret in its place is not sent.
        guard TrustCheck.assertionForm.holds((try? JSONWebToken(parsing: assertion)) != nil) else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The \(self) is no JWT, and was not sent.",
                expected: "a signed JWT in its compact form", received: "\(assertion.utf8.count) bytes",
                hint: "Check the place that the assertion is read from.")
        }
        return assertion
    }

    /// Refuses a JWT-SVID that is not for this provider alone: another one could use it in the client's name
    /// (draft-ietf-oauth-spiffe-client-auth, section 3.1). Throws `AuthStateError` with `.credentialUnavailable`.
    static func checkAudience(
        of assertion: String, at provider: ProviderConfiguration, _ endpoint: URL, stage: AuthStateError.Stage
    ) throws {
        let name = provider.assertionAudience(at: endpoint)
        let claim = try JSONWebToken(parsing: assertion).claims["aud"]
        let audience = (claim?.arrayValue ?? [claim].compactMap(\.self)).map { $0.stringValue ?? "" }
        let isOurs =
            audience.count == 1
            && (audience[0].isExactly(name) || provider.issuer?.isServer(audience[0]) == true)
        guard TrustCheck.workloadAudience.holds(isOurs) else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The JWT-SVID is not for this provider alone, and was not sent.",
                expected: "the audience \(name)",
                received: audience.isEmpty ? "none" : audience.joined(separator: ", "),
                hint: "Ask the workload API for a token with this audience alone.")
        }
    }

    /// Returns the credential with what its function fetched in the function's place; every other credential as it is.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when the function throws another error, or returns nothing;
    ///   `CancellationError`.
    func fetched(for request: CredentialRequest, stage: AuthStateError.Stage) async throws -> Self {
        guard case .function(let function) = source else { return self }
        func refusal(_ what: String, _ underlying: (any Error)?) -> AuthStateError {
            AuthStateError(
                .credentialUnavailable, stage: stage, "The \(self) \(what).",
                hint: "Check the function that the program gave.", underlying: underlying)
        }
        let text: String
        do {
            text = try await function(request)
        } catch {
            if error is AuthStateError || error is CancellationError { throw error }
            throw refusal("could not be fetched", error)
        }
        guard !text.isEmpty else { throw refusal("is empty", nil) }
        var copy = self
        copy.source = .value(text)
        return copy
    }
}
