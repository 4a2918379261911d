public import AuthStateFoundation
public import AuthStateOAuth

extension Tokens {
    /// Checks what a resource's answer says about these tokens, as `AuthState.performAction` does: for an HTTP client of the
    /// program's own, in the body of `withFreshToken`.
    ///
    /// ```swift
    /// let (data, response) = try await authState.withFreshToken { tokens in
    ///     let (data, response) = try await client.send(request, tokens.authorizationHeaders(method: .get, url: url))
    ///     try tokens.check(TransportResponse(status: response.status, headers: response.headers), of: url)
    ///     return (data, response)
    /// }
    /// ```
    ///
    /// Records the nonce that the answer brings for the next proof. An answer that says nothing about the token passes,
    /// regardless of its status. Its body may be empty, and its beginning is then missing in the error.
    ///
    /// - Throws: `TokenRejected`, which `withFreshToken` handles, when another token or another proof may be accepted;
    ///   `AuthStateError` with `.insufficientScope`, `.insufficientUserAuthentication` or `.invalidDPoPProof`.
    public func check(_ response: TransportResponse, of url: URL) throws {
        let secrets = RequestSecrets([accessToken])
        do { try check(response, of: url, now: storage.dpop?.now ?? Date()) } catch let error as AuthStateError {
            throw secrets.hiding(error)
        } catch let rejection as TokenRejected {
            throw rejection.hiding(secrets)
        }
    }

    /// - Parameter now: The time to compare the server's with.
    func check(_ response: TransportResponse, of url: URL, now: Date) throws {
        recordNonce(from: response.headers, of: url)
        switch ResourceVerdict(response, now: now) {
        case .nonceWanted where isDPoPBound: throw TokenRejected(response, of: url)
        case .answered, .nonceWanted: return
        case .tokenRejected: throw TokenRejected(response, of: url)
        case .refused(var error):
            error.origin = URIReference(url.absoluteString).origin
            throw error
        }
    }
}
