/// A frequent failure with a known cause and remedy, recognised by the text of the provider or the system.
///
/// Only advice depends on it, never the behaviour of the library: providers change their texts at any time.
public struct RecognizedFailure: Sendable, Hashable {
    /// The name of a failure. New ones may be added.
    public struct Name: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The failure's name.
        public var rawValue: String
        /// Makes a name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name.
        public var description: String { rawValue }
        /// The redirect URI is not the one that is registered.
        public static let redirectMismatch = Name(rawValue: "redirectMismatch")
        /// The provider does not accept the client, and does not say whether identifier, secret or method is wrong.
        public static let clientRefused = Name(rawValue: "clientRefused")
        /// The provider does not know the client, or not any more.
        public static let unknownClient = Name(rawValue: "unknownClient")
        /// The tenant is the wrong one for the client or the user.
        public static let wrongTenant = Name(rawValue: "wrongTenant")
        /// The client has a secret, and the request had none.
        public static let secretMissing = Name(rawValue: "secretMissing")
        /// The client is a public one, and the request had a secret.
        public static let secretUnwanted = Name(rawValue: "secretUnwanted")
        /// The secret is wrong or has expired.
        public static let wrongSecret = Name(rawValue: "wrongSecret")
        /// A scope is unknown, or the client may not have it.
        public static let scopeRefused = Name(rawValue: "scopeRefused")
        /// The user has not consented to the access yet.
        public static let consentMissing = Name(rawValue: "consentMissing")
        /// The verifier is not the one that belongs to the code.
        public static let wrongVerifier = Name(rawValue: "wrongVerifier")
        /// The code was used before, or is too old.
        public static let codeSpent = Name(rawValue: "codeSpent")
        /// The browser did not come back from the provider's pages: they may show an error that only the user sees.
        public static let noAnswerCame = Name(rawValue: "noAnswerCame")
        /// The certificate comes from an authority that is not trusted, often the developer's own.
        public static let untrustedCertificate = Name(rawValue: "untrustedCertificate")
        /// The certificate is for another name.
        public static let certificateForOtherName = Name(rawValue: "certificateForOtherName")
        /// The certificate has expired, or is not valid yet.
        public static let certificateExpired = Name(rawValue: "certificateExpired")
        /// App Transport Security does not allow the connection.
        public static let appTransportSecurity = Name(rawValue: "appTransportSecurity")
    }

    /// The name of the failure.
    public let name: Name
    /// The advice.
    public let hint: String
    /// Each of them is enough to recognise it.
    let signs: [Sign]
    /// The parts of a flow in which the failure can happen; nil is all.
    let stages: [AuthStateError.Stage]?

    init(_ name: Name, hint: String, at stages: [AuthStateError.Stage]? = nil, signs: Sign...) {
        self.name = name
        self.hint = hint
        self.stages = stages
        self.signs = signs
    }

    func isPossible(at stage: AuthStateError.Stage) -> Bool { stages?.contains(stage) ?? true }

    /// A sign of a failure: one of some texts, in one place.
    ///
    /// No enumeration with payloads: LeakSanitizer does not see the arrays of a permanent table in those.
    struct Sign: Sendable, Hashable {
        enum Place: Sendable, Hashable {
            /// The code in a provider's error response.
            case error
            /// The provider's explanation, in lowercase.
            case explanation
            /// The message of a failure without an answer, in lowercase.
            case message(AuthStateError.Code)
        }

        let place: Place
        let texts: [String]

        static func errors(_ codes: [String]) -> Self { Self(place: .error, texts: codes) }
        static func words(_ words: [String]) -> Self { Self(place: .explanation, texts: words) }
        static func failure(_ code: AuthStateError.Code, _ words: [String]) -> Self {
            Self(place: .message(code), texts: words)
        }
    }
}

extension AuthStateError {
    /// The failure, when it is recognised; `hint` then holds its advice.
    public var recognizedFailure: RecognizedFailure? {
        if let response { return RecognizedFailure(response, at: stage) }
        return RecognizedFailure.table.first { failure in
            failure.isPossible(at: stage)
                && failure.signs.contains { sign in
                    sign.place == .message(code) && sign.texts.contains { message.lowercased().contains($0) }
                }
        }
    }

    /// The same error, with better advice when it is recognised.
    package var explained: AuthStateError {
        var copy = self
        if let recognizedFailure { copy.hint = recognizedFailure.hint }
        return copy
    }
}

extension RecognizedFailure {
    /// The recognised failure of a provider's error response, in this part of a flow.
    init?(_ response: OAuthErrorResponse, at stage: AuthStateError.Stage) {
        // A registration error is about redirect URIs and scopes that are not registered yet.
        guard ![.registrationRedirectURIRefused, .invalidClientMetadata].contains(response.code) else { return nil }
        let explanation = response.errorDescription?.lowercased() ?? ""
        let found = Self.table.first { failure in
            failure.isPossible(at: stage)
                && failure.signs.contains { sign in
                    switch sign.place {
                    case .error: sign.texts.contains(response.error)
                    case .explanation: sign.texts.contains { explanation.has($0) }
                    case .message: false
                    }
                }
        }
        guard let found else { return nil }
        self = found
    }
}

extension String {
    /// Whether these words stand in it, the number at their end as a whole: AADSTS70008 is not in AADSTS700082.
    fileprivate func has(_ words: String) -> Bool {
        ranges(of: words).contains { $0.upperBound == endIndex || !self[$0.upperBound].isNumber }
    }
}
