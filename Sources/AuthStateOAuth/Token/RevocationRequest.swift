public import AuthStateFoundation
import AuthStateJOSE

/// A request to the revocation endpoint (RFC 7009, section 2.1).
public typealias RevocationRequest = OwnTokenRequest<TokenRevocation>

/// The purpose of revoking a token (RFC 7009).
public enum TokenRevocation: OwnTokenPurpose {
    /// `revocation`.
    public static let name = "revocation"
    /// The logout.
    public static let stage = AuthStateError.Stage.logout
    /// The advice at a provider that does not offer it.
    public static let absenceHint = "The tokens count until they end; log out to forget them here."
    /// The revocation endpoint.
    public static func endpoint(of configuration: ProviderConfiguration) -> URL? { configuration.revocationEndpoint }
}

extension RevocationRequest {
    /// Checks an answer (RFC 7009, section 2.2): success is the same for a token that was unknown.
    ///
    /// Some providers, such as Google, answer `invalid_token` for a token that is no longer valid: that is success too.
    ///
    /// - Throws: `AuthStateError` of stage logout.
    public func validate(_ response: TransportResponse) throws {
        if (200...299).contains(response.status) { return }
        if let error = OAuthErrorResponse(try? JSONValue(parsing: [UInt8](response.body))) {
            if response.status == 400, error.error == "invalid_token" { return }
            throw AuthStateError.refusal(by: "revocation endpoint", error, response, stage: .logout)
        }
        if response.status == 401 || response.status == 403 {
            throw AuthStateError(
                .invalidClient, stage: .logout,
                "The revocation endpoint does not serve this client (status \(response.status)).",
                hint: "The tokens count until they end; allow the client to revoke them, if the provider can.",
                httpStatus: response.status)
        }
        throw AuthStateError.endpoint("revocation endpoint", response, stage: .logout)
    }
}
