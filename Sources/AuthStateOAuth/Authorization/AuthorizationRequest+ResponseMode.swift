import AuthStateJOSE

extension AuthorizationRequest {
    /// How the answer reaches the redirect URI (OAuth 2.0 Multiple Response Types, section 2.1; Form Post Response Mode;
    /// JARM, section 2.3).
    ///
    /// A signed answer is a JWT that `AuthorizationService` verifies with the provider's keys; all else is ignored.
    public struct ResponseMode: RawRepresentable, Sendable, Hashable, Codable {
        /// The parameter's value.
        public let rawValue: String
        /// Makes a response mode.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// In the query.
        public static let query = ResponseMode(rawValue: "query")
        /// In the fragment.
        public static let fragment = ResponseMode(rawValue: "fragment")
        /// As a form that the browser posts.
        public static let formPost = ResponseMode(rawValue: "form_post")
        /// Signed, by the way that goes with the response type.
        public static let jwt = ResponseMode(rawValue: "jwt")
        /// Signed, in the query.
        public static let queryJWT = ResponseMode(rawValue: "query.jwt")
        /// Signed, in the fragment.
        public static let fragmentJWT = ResponseMode(rawValue: "fragment.jwt")
        /// Signed, as a form that the browser posts.
        public static let formPostJWT = ResponseMode(rawValue: "form_post.jwt")

        package var isSigned: Bool { self == .jwt || rawValue.hasSuffix(".jwt") }

        /// The way that the answer travels, signed or not.
        package var carrier: ResponseMode {
            rawValue.hasSuffix(".jwt") ? ResponseMode(rawValue: String(rawValue.dropLast(4))) : self
        }

        /// How an answer comes that was asked for in this way, the response type's default considered; nil asks for none.
        package static func effective(_ asked: ResponseMode?, isHybrid: Bool) -> ResponseMode {
            if asked == .jwt { return isHybrid ? .fragmentJWT : .queryJWT }
            return asked ?? (isHybrid ? .fragment : .query)
        }
    }

    /// How the answer will come, the response type's default considered.
    package var effectiveResponseMode: ResponseMode {
        .effective(responseMode, isHybrid: responseType.includesIDToken)
    }

    /// Refuses a response mode that would not bring an answer, or one that could not be believed.
    func checkResponseMode() throws {
        guard let responseMode else { return }
        let mode = effectiveResponseMode
        guard [.query, .fragment, .formPost].contains(mode.carrier) else {
            throw Self.refusal(
                .unsupported, "This response mode is not supported.",
                expected: "query, fragment or form_post, or one of these with .jwt", received: responseMode.rawValue,
                hint: "Use one of these, or leave it to the response type.")
        }
        if mode.carrier == .query, responseType.includesIDToken {
            // OAuth 2.0 Multiple Response Types, section 5; JARM, section 2.3.1.
            throw Self.refusal(
                .unsupported, "An ID token must not come in the query.", expected: "fragment or form_post",
                received: responseMode.rawValue,
                hint: "Leave the response mode to the response type, or use form_post.")
        }
        if mode.isSigned { try checkSignedMode(responseMode) }
    }

    private func checkSignedMode(_ mode: ResponseMode) throws {
        guard client.provider.issuer != nil, client.provider.jwksURI != nil else {
            throw Self.refusal(
                .invalidMetadata, "The signed answer could not be verified.",
                expected: "an issuer and a jwks_uri in the provider configuration",
                hint: "Use discovery, give issuer and jwksURI, or leave out the response mode.")
        }
        if let modes = client.provider.metadata?.responseModesSupported, !modes.contains(mode.rawValue) {
            throw Self.refusal(
                .unsupported, "The provider does not answer in this way.", expected: mode.rawValue,
                received: modes.joined(separator: " "), hint: "Use a response mode that the provider lists.")
        }
        guard !client.provider.authorizationSigningAlgorithms.isEmpty else {
            throw Self.refusal(
                .unsupported, "The provider signs its answers with nothing that is accepted here.",
                expected: "an algorithm with a public key",
                received: client.provider.metadata?.authorizationSigningAlgValuesSupported?.joined(separator: " "),
                hint: "Leave out the response mode.")
        }
    }
}

extension ProviderConfiguration {
    /// The algorithms that may have signed an authorization response: those with a public key, limited to the ones that
    /// the provider lists when it lists any (JARM, section 4).
    var authorizationSigningAlgorithms: Set<SignatureAlgorithm> {
        guard let listed = metadata?.authorizationSigningAlgValuesSupported else { return .asymmetric }
        return .asymmetric.intersection(listed.map(SignatureAlgorithm.init))
    }
}
