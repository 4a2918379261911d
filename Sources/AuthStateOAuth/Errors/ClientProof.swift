import AuthStateFoundation

/// The proof of a client that a request carried, for advice after a refusal.
package enum ClientProof: Sendable, Hashable {
    /// An identifier alone, or a certificate of the connection.
    case nothing
    /// A secret in the header, and whether form encoding changed it (RFC 6749, section 2.3.1), or something stands around it.
    case header(isEncoded: Bool, isWrapped: Bool)
    /// A secret in the form.
    case form(isWrapped: Bool)
    /// A signed assertion.
    case assertion
    /// A token, as at userinfo and at a registration.
    case token

    /// Reads the proof of a request as it goes out.
    package init(_ request: TransportRequest) {
        let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } ?? [:]
        if let value = request.headers["Authorization"] {
            guard let (_, secret) = RequestSecrets.basic(value) else {
                self = .token
                return
            }
            let plain = PercentEncoding.decode(Substring(secret)) ?? secret
            self = .header(
                isEncoded: secret.contains("%"),
                isWrapped: plain.isWrapped)
        } else if let secret = form["client_secret"] {
            self = .form(isWrapped: secret.isWrapped)
        } else {
            self = form["client_assertion"] == nil ? .nothing : .assertion
        }
    }

    /// The advice for a client that was refused: the most probable cause first.
    var advice: String? {
        let identity = "Check the client identifier, and that it belongs to this provider."
        switch self {
        case .header(_, isWrapped: true), .form(isWrapped: true):
            return
                "The client's secret begins or ends with a space, a line break or a quotation mark: remove it where the "
                + "secret is kept."
        case .header(isEncoded: true, _):
            return "Check the client identifier and its secret, which has characters that are encoded in the header. "
                + "Tolerate unencodedBasic if the provider does not decode them. Some providers take the secret only in the "
                + "form (client_secret_post)."
        case .header:
            return "Check the client identifier and its secret. Some providers take the secret only in the form "
                + "(client_secret_post). Tolerate clientIDBesideBasic if the provider wants the identifier in the form too."
        case .form:
            return "Check the client identifier and its secret. Some providers take the secret only in the header "
                + "(client_secret_basic)."
        case .assertion:
            return "Check the client identifier, the key that is registered for it, and this machine's clock. "
                + "Tolerate endpointAudience if the provider wants the assertion for its endpoint. "
                + "Tolerate plainAssertionType if it takes no other type than JWT."
        case .nothing:
            return identity
                + " Check how it is registered to prove itself: the request's header and form had no secret."
        case .token: return nil
        }
    }
}

extension String {
    /// Whether it has white space, quotation marks or a byte order mark around it.
    fileprivate var isWrapped: Bool {
        let isQuoted = count > 1 && ["\"", "'"].contains { hasPrefix($0) && hasSuffix($0) }
        return isQuoted || first?.isWhitespace == true || last?.isWhitespace == true || hasPrefix("\u{FEFF}")
    }
}

extension TransportRequest {
    /// Returns an error of this request's answer, with advice that speaks only of what the request used.
    package func advising(_ error: AuthStateError) -> AuthStateError {
        // An endpoint that serves no client of this kind has advice of its own.
        // With status 401 it is the proof that was refused, under either name.
        let isRefused = error.code == .invalidClient || error.code == .unauthorizedClient && error.httpStatus == 401
        guard isRefused, error.response != nil || error.stage == .token,
            [nil, .clientRefused].contains(error.recognizedFailure?.name),
            let advice = ClientProof(self).advice
        else { return error }
        var copy = error
        copy.hint = advice
        return copy
    }
}
