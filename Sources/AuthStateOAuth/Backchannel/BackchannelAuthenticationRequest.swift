package import AuthStateFoundation
public import AuthStateJOSE

/// A request to the backchannel authentication endpoint: the provider itself asks a user, for example on their phone,
/// whether the client may log them in (OpenID Connect Client-Initiated Backchannel Authentication Core 1.0, section 7.1).
///
/// The tokens are polled for. The modes in which the provider calls the client, ping and push, need a server that it can
/// reach, and signed requests (section 7.1.1) a client that registered for them: neither is made here.
public struct BackchannelAuthenticationRequest: Sendable, Hashable, Codable, Redacted {
    /// The user to be asked, named in exactly one of three ways.
    public enum Hint: Sendable, Hashable, Codable {
        /// `login_hint`: a name that the provider knows, such as an account, a mail address or a telephone number.
        case login(String)
        /// `id_token_hint`: an ID token of an earlier login of this client; the new login has to be the same user's.
        case idToken(String)
        /// `login_hint_token`: a token about the user, in the provider's own format.
        case loginToken(String)
    }

    /// The client that asks, and its provider.
    public var client: Client
    /// The user to be asked.
    public var hint: Hint
    /// The scopes to ask for; `openid` has to be among them.
    public var scopes: [Scope]
    /// A short text that the user sees here and where the provider asks, so that they can tell the two belong together.
    public var bindingMessage: String?
    /// A secret that the user shares with the provider and gives to clients: no other client can have them asked.
    public var userCode: String?
    /// How long the request shall stay valid, in seconds; nil leaves it to the provider.
    public var requestedExpiry: Int?
    /// Authentication context classes that are asked for, the preferred one first.
    public var acrValues: [String] = []
    /// The resources that the tokens shall be for, absolute URIs (RFC 8707).
    public var resources: [String] = []
    /// The key that the tokens shall be bound to (RFC 9449); nil asks for bearer tokens.
    public var dpopKey: DPoPKey?
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters

    /// Makes a request.
    public init(
        _ client: Client, hint: Hint, scopes: [Scope] = [.openID],
        bindingMessage: String? = nil, userCode: String? = nil, requestedExpiry: Int? = nil,
        additionalParameters: Parameters = [:]
    ) {
        self.client = client
        self.hint = hint
        self.scopes = scopes
        self.bindingMessage = bindingMessage
        self.userCode = userCode
        self.requestedExpiry = requestedExpiry
        self.additionalParameters = additionalParameters
    }

    /// Where it goes; throws `.endpointMissing`, or `.unsupported` when the provider has other modes than poll alone.
    package var endpoint: URL {
        get throws {
            let endpoint = try client.provider.backchannelAuthenticationEndpoint.required(
                at: .authorization, "The provider has no backchannel authentication endpoint.",
                expected: "backchannel_authentication_endpoint",
                hint: "Set backchannelAuthenticationEndpoint if the provider has one that its metadata leave out.")
            let modes = client.provider.metadata?.backchannelTokenDeliveryModesSupported
            guard modes?.contains("poll") ?? true else {
                throw AuthStateError(
                    .unsupported, stage: .authorization,
                    "The provider does not let tokens of a backchannel authentication be polled for.", expected: "poll",
                    received: modes?.joined(separator: " "), hint: "Log in in another way.")
            }
            return endpoint
        }
    }

    /// The HTTP request: a form, with the client's proof.
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing` or `.unsupported`, see the provider's metadata; with
    ///   `.invalidArgument` without the scope `openid`, for an expiry that is not positive, a second hint, or an additional
    ///   parameter that would replace one of the request's own.
    package func transportRequest(authentication: ClientAuthentication) throws -> TransportRequest {
        let (name, value) = hint.parameter
        try check(!value.isEmpty, "The hint is empty.", expected: "a \(name)")
        try check(
            scopes.contains(.openID), "Backchannel authentication needs the scope openid.", expected: "openid",
            received: scopes.map(\.rawValue).joined(separator: " "))
        try check(
            requestedExpiry.map { $0 > 0 } ?? true, "The requested expiry is not positive.",
            expected: "a number of seconds", received: requestedExpiry.map { "\($0)" })
        let second = Hint.names.first { additionalParameters[$0] != nil }
        try check(second == nil, "There can be one hint only.", expected: name, received: second)
        var form: Parameters = [name: value]
        form["scope"] = try scopes.joined(stage: .authorization, tolerating: client.provider.tolerances)
        form["binding_message"] = bindingMessage
        form["user_code"] = userCode
        form["requested_expiry"] = requestedExpiry.map { "\($0)" }
        form["acr_values"] = acrValues.isEmpty ? nil : acrValues.joined(separator: " ")
        try form.add(resources: resources, stage: .authorization)
        return try TransportRequest(
            posting: form, additional: additionalParameters, to: endpoint, authentication: authentication,
            stage: .authorization)
    }

    private func check(_ isRight: Bool, _ message: String, expected: String, received: String? = nil) throws {
        guard !isRight else { return }
        throw AuthStateError(.invalidArgument, stage: .authorization, message, expected: expected, received: received)
    }

    /// The client; who is asked, and with which code, stays secret.
    public var description: String { "backchannel authentication request of \(client.id)" }
}

extension BackchannelAuthenticationRequest.Hint: Redacted {
    static let names = ["login_hint", "id_token_hint", "login_hint_token"]

    var parameter: (name: String, value: String) {
        switch self {
        case .login(let value): ("login_hint", value)
        case .idToken(let value): ("id_token_hint", value)
        case .loginToken(let value): ("login_hint_token", value)
        }
    }

    /// The parameter's name, never its value.
    public var description: String { parameter.name }
}
