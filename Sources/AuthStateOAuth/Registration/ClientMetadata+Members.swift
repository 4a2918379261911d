public import AuthStateJOSE

extension ClientMetadata {
    /// A member of the client's metadata: its name, and how it is written from a property and read back.
    struct Member: Sendable {
        let name: String
        /// The member; nil when the property is not set.
        let value: @Sendable (ClientMetadata) throws -> JSONValue?
        /// Sets the property, null to nothing; false when the member is not of its type.
        let take: @Sendable (JSONValue, inout ClientMetadata) throws -> Bool
    }

    /// All members that have a property, but for the keys.
    static let members: [Member] = [
        // RFC 7591, section 2
        Member("redirect_uris", list: \.redirectURIs, .redirectURI),
        Member("grant_types", \.grantTypes, .list(.name())),
        Member("response_types", \.responseTypes, .list(.name())),
        Member("token_endpoint_auth_method", \.tokenEndpointAuthMethod, .name()),
        Member("client_name", \.clientName, .text),
        Member("client_uri", \.clientURI, .text),
        Member("logo_uri", \.logoURI, .text),
        Member("policy_uri", \.policyURI, .text),
        Member("tos_uri", \.termsOfServiceURI, .text),
        Member("contacts", list: \.contacts, .text),
        Member("jwks_uri", \.jwksURI, .text),
        Member("software_id", \.softwareID, .text),
        Member("software_version", \.softwareVersion, .text),
        Member("software_statement", \.softwareStatement, .text),
        .scope,
        // OpenID Connect Dynamic Client Registration 1.0, section 2
        Member("application_type", \.applicationType, .text),
        Member("subject_type", \.subjectType, .text),
        Member("token_endpoint_auth_signing_alg", \.tokenEndpointAuthSigningAlg, .name()),
        Member("id_token_signed_response_alg", \.idTokenSignedResponseAlg, .name()),
        Member("userinfo_signed_response_alg", \.userInfoSignedResponseAlg, .name()),
        Member("request_object_signing_alg", \.requestObjectSigningAlg, .name()),
        Member("default_max_age", \.defaultMaxAge, .integer),
        Member("require_auth_time", \.requireAuthTime, .flag),
        Member("initiate_login_uri", \.initiateLoginURI, .text),
        // RP-Initiated Logout 1.0, section 3.1, and Back-Channel Logout 1.0, section 2.2
        Member("post_logout_redirect_uris", list: \.postLogoutRedirectURIs, .redirectURI),
        Member("backchannel_logout_uri", \.backchannelLogoutURI, .text),
        Member("backchannel_logout_session_required", \.backchannelLogoutSessionRequired, .flag),
        // RFC 8705, RFC 9101, RFC 9126, RFC 9396, RFC 9449, JARM
        Member("authorization_signed_response_alg", \.authorizationSignedResponseAlg, .name()),
        Member("authorization_details_types", list: \.authorizationDetailsTypes, .text),
        Member("tls_client_auth_subject_dn", \.tlsClientAuthSubjectDN, .text),
        Member("tls_client_certificate_bound_access_tokens", \.tlsClientCertificateBoundAccessTokens, .flag),
        Member("require_signed_request_object", \.requireSignedRequestObject, .flag),
        Member("require_pushed_authorization_requests", \.requirePushedAuthorizationRequests, .flag),
        Member("dpop_bound_access_tokens", \.dpopBoundAccessTokens, .flag),
    ]

    /// The members of the JSON document. Throws `.invalidArgument` for keys in two places, or for a malformed scope.
    package func document() throws -> [String: JSONValue] {
        guard keys.isEmpty || jwksURI == nil else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "The client's keys are in two places.",
                expected: "keys or jwksURI", received: "both", hint: "Set one of them to nothing (RFC 7591, section 2)."
            )
        }
        var body = additionalMetadata
        for member in Self.members { body[member.name] = try member.value(self) ?? body[member.name] }
        if !keys.isEmpty { body["jwks"] = ["keys": .array(keys.map(\.publicKey.json))] }
        if jwksURI != nil { body["jwks"] = nil }
        return body
    }

    /// Sets a member of the metadata by its name, through its property when it has one; null removes it.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` for a member that only the provider sets, and for a value
    ///   that is not of the member's type; with `.invalidRedirectURI`.
    public mutating func setMetadata(_ name: String, to value: JSONValue) throws {
        guard !Self.notSent.contains(name) else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "Only the provider says the \(name).", received: name)
        }
        guard let member = Self.members.first(where: { $0.name == name }) else {
            additionalMetadata[name] = value
            if value == .null { additionalMetadata.removeValue(forKey: name) }
            return
        }
        guard try member.take(value, &self) else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "The value of \(name) is not of its type.",
                expected: "a value of the type that RFC 7591 or OpenID Connect Dynamic Client Registration says")
        }
        additionalMetadata[name] = nil
    }
}

extension ClientMetadata.Member {
    /// How a value is written in JSON, and read; reading returns nil for another type of value.
    struct Form<Value>: Sendable {
        var json: @Sendable (Value) -> JSONValue
        var value: @Sendable (JSONValue) throws -> Value?
    }

    /// A member that is absent when the property is nil.
    fileprivate init<Value>(
        _ name: String, _ property: any WritableKeyPath<ClientMetadata, Value?> & Sendable, _ form: Form<Value>
    ) {
        self.init(name: name) { request in
            request[keyPath: property].map(form.json)
        } take: { json, request in
            let value = json == .null ? nil : try form.value(json)
            if value != nil || json == .null { request[keyPath: property] = value }
            return value != nil || json == .null
        }
    }

    /// A member that is absent when the list is empty.
    fileprivate init<Element>(
        _ name: String, list property: any WritableKeyPath<ClientMetadata, [Element]> & Sendable,
        _ form: Form<Element>
    ) {
        let form = Form<[Element]>.list(form)
        self.init(name: name) { request in
            let list = request[keyPath: property]
            // Not in one expression: there nil would be the JSON value.
            guard !list.isEmpty else { return nil }
            return form.json(list)
        } take: { json, request in
            guard let list = json == .null ? [] : try form.value(json) else { return false }
            request[keyPath: property] = list
            return true
        }
    }

    /// Scopes, which are one text.
    fileprivate static let scope = Self(name: "scope") { request in
        try request.scopes.joined(stage: .registration).map { .string($0) }
    } take: { json, request in
        guard let text = json == .null ? "" : json.stringValue else { return false }
        request.scopes = text.split(separator: " ").map { Scope(rawValue: String($0)) }
        return true
    }
}

extension ClientMetadata.Member.Form where Value == String {
    fileprivate static var text: Self { Self(json: { .string($0) }, value: \.stringValue) }
}

extension ClientMetadata.Member.Form where Value == Bool {
    fileprivate static var flag: Self { Self(json: { .bool($0) }, value: \.boolValue) }
}

extension ClientMetadata.Member.Form where Value == Int {
    fileprivate static var integer: Self {
        Self(json: { .number(JSONNumber(Int64($0))) }, value: { $0.intValue.flatMap(Int.init(exactly:)) })
    }
}

extension ClientMetadata.Member.Form where Value == RedirectURI {
    fileprivate static var redirectURI: Self {
        Self(json: { .string($0.rawValue) }, value: { try $0.stringValue.map { try RedirectURI($0) } })
    }
}

extension ClientMetadata.Member.Form where Value: RawRepresentable<String> & SendableMetatype {
    fileprivate static func name() -> Self {
        Self(json: { .string($0.rawValue) }, value: { $0.onlyString.flatMap(Value.init(rawValue:)) })
    }
}

extension ClientMetadata.Member.Form {
    fileprivate static func list<Element>(_ form: ClientMetadata.Member.Form<Element>) -> Self
    where Value == [Element] {
        Self(json: { .array($0.map(form.json)) }) { json in
            guard let members = json.arrayValue else { return nil }
            let list = try members.compactMap(form.value)
            return list.count == members.count ? list : nil
        }
    }
}
