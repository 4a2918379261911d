import AuthStateJOSE

/// A client's proof for one request, its secret or its assertion at hand.
package struct ClientAuthentication: Sendable, Hashable, Redacted {
    package let clientID: String
    package let method: ClientAuthenticationMethod
    private let proof: Proof

    private enum Proof: Hashable {
        case nothing
        case nameless
        case secret(String, isFormEncoded: Bool, isNamed: Bool)
        case assertion(String)
    }

    package static func none(clientID: String) -> Self { Self(clientID: clientID, method: .none, proof: .nothing) }

    /// A client that something else in the request names, such as a signed assertion (RFC 7521, section 4.1).
    package static func nameless(clientID: String) -> Self { Self(clientID: clientID, method: .none, proof: .nameless) }

    /// A client that the provider knows by the certificate of the connection (RFC 8705, section 2); throws
    /// `AuthStateError` with `.unsupported` for another method.
    package static func certificate(clientID: String, method: ClientAuthenticationMethod) throws -> Self {
        guard method.usesCertificate else {
            throw AuthStateError(
                .unsupported, stage: .token, "This client authentication method has no certificate.",
                expected: "tls_client_auth or self_signed_tls_client_auth", received: method.rawValue)
        }
        return Self(clientID: clientID, method: method, proof: .nothing)
    }

    /// A client with a secret that is sent; see `Tolerance.unencodedBasic` and `Tolerance.clientIDBesideBasic`.
    ///
    /// - Throws: `AuthStateError` with `.unsupported` for a method that is not based on sending the secret, or when the
    ///   identifier has a colon and is not to be encoded.
    package static func secret(
        _ secret: String, clientID: String, method: ClientAuthenticationMethod, isFormEncoded: Bool = true,
        isNamed: Bool = false
    ) throws -> Self {
        guard method == .clientSecretBasic || method == .clientSecretPost else {
            throw AuthStateError(
                .unsupported, stage: .token, "This client authentication method cannot be used with a secret.",
                expected: "client_secret_basic or client_secret_post", received: method.rawValue)
        }
        guard isFormEncoded || method != .clientSecretBasic || !clientID.contains(":") else {
            throw AuthStateError(
                .unsupported, stage: .token, "An identifier with a colon cannot go into HTTP Basic unencoded.",
                hint: "Send the secret in the body (client_secret_post).")
        }
        return Self(
            clientID: clientID, method: method,
            proof: .secret(secret, isFormEncoded: isFormEncoded, isNamed: isNamed))
    }

    /// A client with a signed assertion (RFC 7523, section 2.2), which is valid for one request. Throws
    /// `AuthStateError` with `.unsupported` for a method that is not based on an assertion.
    package static func assertion(
        _ assertion: String, clientID: String, method: ClientAuthenticationMethod
    ) throws -> Self {
        guard method.signsAssertions else {
            throw AuthStateError(
                .unsupported, stage: .token, "This client authentication method has no assertion.",
                expected: "client_secret_jwt, private_key_jwt or spiffe_jwt", received: method.rawValue)
        }
        return Self(clientID: clientID, method: method, proof: .assertion(assertion))
    }

    /// The method for a secret when none was chosen: the first of Basic, post and JWT that the endpoint accepts, and Basic
    /// when the metadata list none of them or say nothing.
    package static func preferredMethod(of accepted: [String]?) -> ClientAuthenticationMethod {
        let listed = accepted ?? []
        let usable: [ClientAuthenticationMethod] = [.clientSecretBasic, .clientSecretPost, .clientSecretJWT]
        return usable.first { listed.contains($0.rawValue) } ?? .clientSecretBasic
    }

    func apply(to form: inout Parameters, headers: inout TransportHeaders) {
        switch proof {
        case .secret(let secret, let isFormEncoded, let isNamed) where method == .clientSecretBasic:
            if isNamed { form["client_id"] = clientID }
            let parts = [clientID, secret].map { isFormEncoded ? PercentEncoding.form($0) : $0 }
            let pair = parts.joined(separator: ":")
            headers["Authorization"] = "Basic \(Base64.encode(Array(pair.utf8)))"
        case .secret(let secret, _, _):
            form["client_id"] = clientID
            form["client_secret"] = secret
        case .assertion(let assertion):
            // The subject of a JWT-SVID names the client, which the server may know by another identifier.
            if method != .spiffeJWT { form["client_id"] = clientID }
            form["client_assertion_type"] = method == .spiffeJWT ? ClientAssertion.spiffeType : ClientAssertion.type
            form["client_assertion"] = assertion
        case .nothing:
            form["client_id"] = clientID.isEmpty ? nil : clientID
        case .nameless: break
        }
    }

    package var description: String { "\(clientID) by \(method.rawValue)" }
}
