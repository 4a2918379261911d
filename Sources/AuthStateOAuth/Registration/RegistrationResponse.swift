public import AuthStateFoundation
public import AuthStateJOSE

/// The client as the provider registered it (RFC 7591, section 3.2.1).
public struct RegistrationResponse: Sendable, Hashable, Codable, Redacted {
    /// The client's identifier.
    public let clientID: String
    /// Its secret, for a confidential client.
    public let clientSecret: String?
    /// When the secret expires; nil when it does not, or the provider does not say.
    public let clientSecretExpiresAt: Date?
    /// When the client was registered.
    public let clientIDIssuedAt: Date?
    /// Where the registration is read, changed and deleted (RFC 7592).
    public let registrationClientURI: URL?
    /// The token for managing the registration.
    public let registrationAccessToken: String?
    /// How the client authenticates.
    public let tokenEndpointAuthMethod: ClientAuthenticationMethod?
    /// Everything that was registered.
    public let metadata: [String: JSONValue]

    /// Reads an answer of the registration endpoint, of any status; throws `AuthStateError`: the provider's error
    /// response; an answer without `client_id`.
    public init(_ response: TransportResponse) throws { try self.init(response, asked: [:]) }

    /// Reads an answer of the registration endpoint, or of the place where a registration is managed (RFC 7592, section 3).
    ///
    /// An answer has to repeat all metadata, and is then complete: members that it leaves out are not registered. An
    /// answer without redirect URIs or grant types, although the request had some, is incomplete: members that it
    /// leaves out are as they were asked for. An update sends everything, so a member that got lost here would be
    /// deleted there.
    ///
    /// Of the former registration the secret, authentication method, management URI and token are kept where the answer
    /// leaves them out: RFC 7592 requires them, and not every provider repeats them.
    init(_ response: TransportResponse, asked: [String: JSONValue], former: RegistrationResponse? = nil) throws {
        guard response.isSuccess(200, former == nil ? 201 : 200) else {
            throw Self.failure(response, of: former == nil ? "registration" : "management of the registration")
        }
        let json = response.json
        if OAuthErrorResponse(json) != nil { throw Self.failure(response, of: "registration") }
        guard let answer = (json?.objectValue).map(AnswerMembers.init) else {
            throw AuthStateError.noObject("registration endpoint", response, stage: .registration)
        }
        guard !answer.isError else { throw Self.refusal("no error", received: "an unreadable one") }
        guard let clientID = answer.name("client_id") ?? former?.clientID else {
            throw Self.refusal("client_id", received: "no client_id")
        }
        guard TrustCheck.registrationClient.holds(former == nil || former?.clientID == clientID) else {
            throw Self.refusal("the registration of the client that asked", received: "another client's")
        }
        // An empty list is one that was left out.
        let isPart = ["redirect_uris", "grant_types"].contains { asked[$0] != nil && [nil, []].contains(answer[$0]) }
        let members =
            isPart ? asked.merging(answer.members) { [.null, "", []].contains($1) ? $0 : $1 } : answer.members
        let secret = answer.text("client_secret")
        let expiry = answer.number("client_secret_expires_at")
        if secret != nil, expiry == nil { Leniency.secretExpiry.note("client_secret_expires_at") }
        let uri = answer.text("registration_client_uri", ProviderMetadata.endpoint)
        let token = answer.text("registration_access_token")
        // A registration that cannot be managed is one all the same.
        let isManaged = former != nil || uri != nil && token != nil
        if !isManaged, uri != nil || token != nil {
            Leniency.unmanageableRegistration.note("registration_client_uri, registration_access_token")
        }
        self.clientID = clientID
        let answered = answer.onlyText("token_endpoint_auth_method")
        let method =
            (answered ?? AnswerMembers(asked).onlyText("token_endpoint_auth_method"))
            .map(ClientAuthenticationMethod.init) ?? former?.tokenEndpointAuthMethod
        // A secret that comes without a method is for one of those that take secrets; the provider's metadata name them.
        let isForSecrets = secret != nil && answered == nil && method == ClientAuthenticationMethod.none
        if isForSecrets { Leniency.methodOfSecret.note("token_endpoint_auth_method") }
        tokenEndpointAuthMethod = isForSecrets ? nil : method
        clientSecret = secret ?? (tokenEndpointAuthMethod.needsNoSecret ? nil : former?.clientSecret)
        clientSecretExpiresAt =
            expiry.map { $0 <= 0 ? nil : Self.date($0) }
            ?? (secret == nil || secret == former?.clientSecret ? former?.clientSecretExpiresAt : nil)
        clientIDIssuedAt =
            answer.number("client_id_issued_at").flatMap(Self.date)
            ?? former?.clientIDIssuedAt
        registrationClientURI = isManaged ? uri ?? former?.registrationClientURI : nil
        registrationAccessToken = isManaged ? token ?? former?.registrationAccessToken : nil
        metadata = members
    }

    /// A time that a calendar can show.
    private static func date(_ seconds: Double) -> Date? {
        abs(seconds) < 1e12 ? Date(timeIntervalSince1970: seconds) : nil
    }

    /// An answer that is no registration.
    static func failure(_ response: TransportResponse, of what: String) -> AuthStateError {
        let oauth = OAuthErrorResponse(response.json)
        let isAboutClient = oauth.map { AuthStateError.Code.refusedRegistrations.contains($0.code) } ?? false
        if [401, 403].contains(response.status), !isAboutClient, !response.isPage {
            return AuthStateError(
                .initialAccessTokenRejected, stage: .registration,
                "The provider lets only those register whom it allows to\(oauth.map { ": \($0.summary)" } ?? "").",
                expected: "a valid initial access token", received: oauth == nil ? response.foreignReason : nil,
                hint: "Get such a token from the provider, or register the client on its pages.", response: oauth,
                httpStatus: response.status)
        }
        guard response.status < 500, let oauth else {
            return AuthStateError.endpoint("registration endpoint", response, stage: .registration)
        }
        var error = AuthStateError.refusal(by: "registration endpoint", oauth, response, stage: .registration)
        error.message = "The provider refused the \(what): \(oauth.summary)."
        return error
    }

    private static func refusal(_ expected: String, received: String?) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .registration, "The registration response cannot be used.", expected: expected,
            received: received, hint: "Register the client on the provider's pages.")
    }

    /// The credential that the registered client authenticates with; where its own private key is, only the client knows.
    public var credential: ClientCredential {
        let method = tokenEndpointAuthMethod
        if method?.usesOwnProof == true { return ClientCredential(.none, method: method) }
        guard let clientSecret else { return .none }
        return ClientCredential(.issued(clientSecret), method: method, signingAlgorithm: assertionAlgorithm)
    }

    /// The credential of a client that registered its public key (`private_key_jwt`) with this `kid`.
    public func credential(privateKey: ClientCredential.Source, keyID: String? = nil) -> ClientCredential {
        ClientCredential(privateKey, method: .privateKeyJWT, keyID: keyID, signingAlgorithm: assertionAlgorithm)
    }

    private var assertionAlgorithm: SignatureAlgorithm? { algorithm("token_endpoint_auth_signing_alg") }

    /// How the client's ID tokens are signed, when the registration says it.
    public var idTokenSignedResponseAlg: SignatureAlgorithm? { algorithm("id_token_signed_response_alg") }

    fileprivate func algorithm(_ member: String) -> SignatureAlgorithm? {
        // Some providers send an empty text for a member that they leave out.
        metadata[member]?.stringValue.flatMap { $0.isEmpty ? nil : SignatureAlgorithm(rawValue: $0) }
    }

    /// The client's identifier; secret and token stay secret.
    public var description: String { "registration of \(clientID.printable(100))" }
}

extension ProviderConfiguration {
    /// The configuration for a registered client: ID tokens and signed userinfo use the algorithms of the registration.
    ///
    /// A registration for tokens without signature (`none`) changes nothing: the policy has to ask for them.
    public func adapted(to registration: RegistrationResponse) -> ProviderConfiguration {
        var result = self
        if let algorithm = registration.idTokenSignedResponseAlg, algorithm != .unsecured {
            result.idTokenPolicy.algorithms = [algorithm]
        }
        if let algorithm = registration.algorithm("userinfo_signed_response_alg"), algorithm != .unsecured {
            result.userInfoAlgorithms = [algorithm]
        }
        return result
    }
}

extension RegistrationRequest {
    /// Reads an answer to this request (RFC 7591, section 3.2); members that it does not repeat are as they were sent.
    /// Throws as `RegistrationResponse.init(_:)` does.
    package func answer(_ response: TransportResponse) throws -> RegistrationResponse {
        try RegistrationResponse(response, asked: metadata.document())
    }
}

extension AuthStateError.Code {
    /// The errors with which a provider refuses the metadata of a client (RFC 7591, section 3.2.2).
    fileprivate static let refusedRegistrations: [Self] = [
        .registrationRedirectURIRefused, .invalidClientMetadata, .invalidSoftwareStatement,
        .unapprovedSoftwareStatement,
    ]
}

extension JSONValue {
    /// The text, also where it stands alone in an array: glewlwyd writes a client's one method so.
    var onlyString: String? { stringValue ?? arrayValue.flatMap { $0.count == 1 ? $0[0].stringValue : nil } }
}

extension ClientAuthenticationMethod? {
    fileprivate var needsNoSecret: Bool {
        self == ClientAuthenticationMethod.none || self?.usesOwnProof == true
    }
}

extension TrustCheck {
    /// A read or changed registration is that of this client (RFC 7592, 3).
    package static let registrationClient = TrustCheck("registrationClient")
}
