import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The data of a client that registered itself, besides the client.
    struct Registration: Sendable, Codable {
        var token: String
        /// The metadata that the client registered, as they were sent.
        var metadata: [String: JSONValue]
        var issuedAt: Double
    }

    /// Dynamic client registration (RFC 7591, section 3).
    mutating func register(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        guard configuration.allowsRegistration else {
            throw ProviderRefusal("access_denied", "Registration is closed.", status: 403)
        }
        if let expected = configuration.initialAccessToken {
            guard let token = request.bearerToken, ConstantTime.equals(token, expected) else {
                throw .bearer("invalid_token", "The initial access token is not known.")
            }
        }
        let members = try metadata(in: request)
        let client = try client(of: members, id: "client-\(newToken().prefix(8))", secret: nil)
        base.clients.append(client)
        registrations[client.id] = Registration(token: newToken(), metadata: members, issuedAt: now)
        return .json(information(of: client), status: 201)
    }

    /// A client's metadata in a request's body.
    func metadata(in request: Request) throws(ProviderRefusal) -> [String: JSONValue] {
        guard let members = (try? JSONValue(parsing: request.body))?.objectValue else {
            throw ProviderRefusal("invalid_client_metadata", "The request is not a JSON object.")
        }
        return members
    }

    /// The client that metadata describe.
    ///
    /// - Parameter secret: The secret that it already has; a client that needs one and has none gets a new one.
    func client(of members: [String: JSONValue], id: String, secret: String?) throws(ProviderRefusal) -> Client {
        func strings(_ name: String) -> [String]? { members[name]?.arrayValue?.compactMap(\.stringValue) }
        let redirectURIs = strings("redirect_uris") ?? []
        let grants = strings("grant_types") ?? Self.usualGrantTypes
        guard !redirectURIs.isEmpty || !grants.contains(GrantType.authorizationCode.rawValue),
            redirectURIs.allSatisfy({ (try? RedirectURI($0)) != nil })
        else {
            throw ProviderRefusal("invalid_redirect_uri", "A redirect URI is missing or malformed.")
        }
        let method = members["token_endpoint_auth_method"]?.stringValue ?? "client_secret_basic"
        guard Self.authenticationMethods.contains(method) else {
            throw ProviderRefusal("invalid_client_metadata", "This client authentication is not supported.")
        }
        let keys = members["jwks"].flatMap { try? JSONWebKeySet(json: $0).keys } ?? []
        guard method != "private_key_jwt" || !keys.isEmpty else {
            throw ProviderRefusal("invalid_client_metadata", "This client authentication needs a public key in jwks.")
        }
        let needsSecret = !["none", "private_key_jwt"].contains(method)
        var client = Client(
            id: id, secret: needsSecret ? secret ?? Base64URL.encode(SecureRandom.bytes(48)) : nil, keys: keys,
            authenticationMethod: ClientAuthenticationMethod(rawValue: method), redirectURIs: redirectURIs,
            postLogoutRedirectURIs: strings("post_logout_redirect_uris"),
            grantTypes: Set(grants.map { GrantType(rawValue: $0) }))
        for name in ["backchannel_logout_uri", "frontchannel_logout_uri"] {
            guard let text = members[name]?.stringValue else { continue }
            let parts = URIReference(text)
            guard parts.hasScheme("https") || parts.hasScheme("http"), parts.host?.isEmpty == false,
                !text.contains(where: { $0.isWhitespace || ";,".contains($0) })
            else { throw ProviderRefusal("invalid_client_metadata", "\(name) has to be an http URL.") }
        }
        client.idTokenAlgorithm = try algorithm("id_token_signed_response_alg", in: members)
        client.userInfoAlgorithm = try algorithm("userinfo_signed_response_alg", in: members)
        if let other = members.keys.sorted().first(where: { $0.hasSuffix("_encrypted_response_alg") }) {
            throw ProviderRefusal("invalid_client_metadata", "Nothing is encrypted here: leave \(other) out.")
        }
        client.backChannelLogoutURI = members["backchannel_logout_uri"]?.stringValue
        client.frontChannelLogoutURI = members["frontchannel_logout_uri"]?.stringValue
        return client
    }

    /// A signature algorithm that a client registers; nil without one.
    private func algorithm(
        _ name: String, in members: [String: JSONValue]
    ) throws(ProviderRefusal) -> SignatureAlgorithm? {
        guard let value = members[name], value != .null else { return nil }
        // RS256 is one that a client may name where it is not the default.
        let offered = configuration.offeredAlgorithms + [.rs256]
        guard let known = offered.first(where: { value == .string($0.rawValue) }) else {
            let names = offered.map(\.rawValue).joined(separator: ", ")
            throw ProviderRefusal("invalid_client_metadata", "\(name) has to be one of \(names).")
        }
        return known
    }

    private static let usualGrantTypes = ["authorization_code", "refresh_token"]

    /// The client information response (RFC 7591, section 3.2.1; RFC 7592, section 3).
    func information(of client: Client) -> [String: JSONValue] {
        guard let registration = registrations[client.id] else { return [:] }
        var answer = registration.metadata
        answer["client_id"] = .string(client.id)
        answer["client_id_issued_at"] = .number(JSONNumber(Int64(registration.issuedAt)))
        answer["token_endpoint_auth_method"] = .string(client.authenticationMethod?.rawValue ?? "none")
        answer["grant_types"] = answer["grant_types"] ?? .array(Self.usualGrantTypes.map { .string($0) })
        answer["registration_client_uri"] = .string(
            url(of: .clientConfiguration) + "?client_id=\(PercentEncoding.form(client.id))")
        answer["registration_access_token"] = .string(registration.token)
        if let secret = client.secret {
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = 0
        }
        configuration.deviations.registration?(&answer)
        return answer
    }
}
