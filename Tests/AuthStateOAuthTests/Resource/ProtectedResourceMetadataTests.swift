import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Metadata of protected resources (RFC 9728).
struct ProtectedResourceMetadataTests {
    private static let all: [String: JSONValue] = [
        "resource": "https://api.example/v1",
        "authorization_servers": ["https://op.example", "https://other.example/t"],
        "jwks_uri": "https://api.example/jwks", "scopes_supported": ["read", "write"],
        "bearer_methods_supported": ["header", "body"], "resource_signing_alg_values_supported": ["ES256"],
        "resource_name": "API", "resource_name#fr": "Interface", "resource_documentation": "https://api.example/docs",
        "resource_policy_uri": "https://api.example/policy", "resource_tos_uri": "https://api.example/terms",
        "tls_client_certificate_bound_access_tokens": true, "authorization_details_types_supported": ["payment"],
        "dpop_signing_alg_values_supported": ["ES256"], "dpop_bound_access_tokens_required": true,
        "x_future": ["of": "a later version"],
    ]

    private func metadata(_ changes: [String: JSONValue?] = [:]) throws -> ProtectedResourceMetadata {
        var document = Self.all
        for (name, value) in changes { document[name] = value }
        return try ProtectedResourceMetadata(parsing: Data(JSONValue.object(document).serialized()))
    }

    private func check(
        _ named: String, for resource: String, from source: ProtectedResourceMetadata.Source = .path,
        tolerances: Set<Tolerance> = []
    ) throws -> String {
        try metadata(["resource": .string(named)]).check(
            for: ResourceIdentifier(resource), from: source, tolerances: tolerances)
    }

    @Test("every member is read, and unknown ones are kept")
    func members() throws {
        let found = try metadata()
        #expect(found.document == Self.all && found.resource == "https://api.example/v1")
        #expect(found.authorizationServers.map(\.rawValue) == ["https://op.example", "https://other.example/t"])
        #expect(
            found.jwksURI?.absoluteString == "https://api.example/jwks" && found.scopesSupported == ["read", "write"])
        #expect(found.bearerMethodsSupported == ["header", "body"])
        #expect(found.resourceName == "API" && found.dpopBoundAccessTokensRequired)
        #expect(found.dpopSigningAlgValuesSupported == ["ES256"])
        let least = try ProtectedResourceMetadata(document: ["resource": "https://api.example"])
        #expect(
            least.authorizationServers.isEmpty && least.scopesSupported == nil && !least.dpopBoundAccessTokensRequired)
    }

    @Test(
        "a document without a resource, or with servers that are none, is refused by the member's name",
        arguments: [
            ("resource", nil), ("resource", ["a"]), ("resource", ""), ("resource", .null),
            ("authorization_servers", ["op.example"]), ("authorization_servers", ["https://op.example?x"]),
        ] as [(String, JSONValue?)])
    func malformed(_ name: String, _ value: JSONValue?) {
        let error = refusal { try metadata([name: value]) }
        #expect(error?.code == .invalidMetadata && error?.message.contains(name) == true)
    }

    @Test func `other members are read as they are meant, or absent`() throws {
        let found = try metadata([
            "authorization_servers": "https://op.example", "scopes_supported": .null, "jwks_uri": "/jwks",
            "dpop_bound_access_tokens_required": "true", "bearer_methods_supported": [:], "signed_metadata": 1,
        ])
        #expect(found.authorizationServers.map(\.rawValue) == ["https://op.example"] && found.scopesSupported == nil)
        #expect(found.jwksURI == nil && found.dpopBoundAccessTokensRequired && found.bearerMethodsSupported == nil)
        #expect(found.signedMetadata == nil)
        let two = try metadata(["authorization_servers": ["https://op.example", 1, "x"], "scopes_supported": "read"])
        #expect(two.authorizationServers.count == 1 && two.scopesSupported == ["read"])
    }

    @Test("other JSON, repeated members and other content are no metadata")
    func notAnObject() {
        for text in ["[]", "", "<html>", #"{"resource":"https://a.example","resource":"https://b.example"}"#] {
            #expect(refusal { try ProtectedResourceMetadata(parsing: Data(text.utf8)) }?.code == .invalidMetadata)
        }
    }

    @Test(
        "the resource has to be the one that was asked for",
        arguments: [
            ("https://api.example/v1", "https://api.example/v1", .path),
            ("https://api.example/v1", "https://api.example/v1", .challenge),
            ("https://api.example", "https://api.example/v1", .root),
            ("https://api.example/", "https://api.example/v1", .root),
            ("https://api.example/v1", "https://api.example/v1", .root),
            ("https://api.example/", "https://api.example", .path),
            ("https://api.example", "https://api.example/", .challenge),
        ] as [(String, String, ProtectedResourceMetadata.Source)])
    func named(_ named: String, _ resource: String, _ source: ProtectedResourceMetadata.Source) throws {
        #expect(try check(named, for: resource, from: source) == named)
    }

    @Test(
        "another name is refused",
        arguments: [
            ("https://api.example", .path), ("https://api.example/", .challenge), ("https://api.example/v1/", .path),
            ("https://API.example/v1", .path), ("https://api.example/v1?x", .path),
            ("https://api.example/v2", .challenge),
            ("https://evil.example/v1", .challenge), ("http://api.example/v1", .path),
            ("https://api.example/v2", .root), ("https://api.example/v1/", .root),
            ("https://api.example:443/v1", .path),
        ] as [(String, ProtectedResourceMetadata.Source)])
    func other(_ named: String, _ source: ProtectedResourceMetadata.Source) {
        let error = refusal { try check(named, for: "https://api.example/v1", from: source) }
        #expect(error?.code == .resourceMismatch && error?.kind == .configuration)
    }

    @Test("a path above the resource, at its origin, is tolerated by name")
    func parents() throws {
        let tolerances: Set<Tolerance> = [.parentResource]
        for named in [
            "https://api.example", "https://api.example/", "https://api.example/v1", "https://api.example/v1/",
        ] {
            #expect(try check(named, for: "https://api.example/v1/mcp", tolerances: tolerances) == named)
        }
        for named in [
            "https://evil.example", "http://api.example", "https://api.example/v", "https://api.example/v2",
            "https://api.example/v1/mcp/more", "https://api.example?x", "https://api.example:8443",
            "https://api.example#a",
        ] {
            let error = refusal { try check(named, for: "https://api.example/v1/mcp", tolerances: tolerances) }
            #expect(error?.code == .resourceMismatch, "\(named)")
        }
    }

    @Test("a resource that takes no token in a header cannot be used")
    func methods() throws {
        for methods in [["body"], ["query"], []] as [JSONValue] {
            let error = refusal {
                try metadata(["bearer_methods_supported": methods]).check(
                    for: ResourceIdentifier("https://api.example/v1"), from: .path)
            }
            #expect(error?.code == .unsupported)
        }
        _ = try metadata(["bearer_methods_supported": nil]).check(
            for: ResourceIdentifier("https://api.example/v1"), from: .path)
    }
}

/// Signed metadata of protected resources (RFC 9728, section 2.2).
struct SignedResourceMetadataTests {
    private let key: SigningKey
    private let keys: [String: JSONWebKeySet]

    init() throws {
        key = try SigningKey.generate(.es256)
        keys = ["https://trust.example": JSONWebKeySet(keys: [key.publicKey])]
    }

    private func metadata(_ claims: JSONValue, by key: SigningKey? = nil) throws -> ProtectedResourceMetadata {
        let token = try JSONWebToken.sign(claims: claims, with: key ?? self.key)
        return try ProtectedResourceMetadata(document: [
            "resource": "https://api.example", "resource_name": "Plain", "resource_policy_uri": "https://api.example/p",
            "signed_metadata": .string(token),
        ])
    }

    private let claims: JSONValue = [
        "iss": "https://trust.example", "iat": 1, "resource": "https://api.example", "resource_name": "Signed",
    ]

    @Test("signed values take the place of plain ones")
    func precedence() throws {
        let found = try metadata(claims).verified(by: keys, now: Fixtures.now)
        #expect(found.resourceName == "Signed")
        #expect(found.document["resource_policy_uri"] == "https://api.example/p")
        #expect(found.document["iss"] == nil && found.signedMetadata == nil)
        let plain = try ProtectedResourceMetadata(document: ["resource": "https://api.example"])
        #expect(refusal { try plain.verified(by: keys, now: Fixtures.now) }?.code == .invalidSignature)
    }

    @Test("the servers that a login goes to are the signed ones")
    func servers() throws {
        var signed = claims.objectValue ?? [:]
        for servers in [nil, ["https://op.example"] as JSONValue?] {
            signed["authorization_servers"] = servers
            var document = try metadata(.object(signed)).document
            document["authorization_servers"] = ["https://evil.example"]
            let found = try ProtectedResourceMetadata(document: document).verified(by: keys, now: Fixtures.now)
            #expect(found.authorizationServers.map(\.rawValue) == (servers == nil ? [] : ["https://op.example"]))
        }
    }

    @Test("a wrong signature, an unknown issuer, an expired token, and a token in the token are refused")
    func refused() throws {
        let stranger = try SigningKey.generate(.es256)
        var expired = claims.objectValue ?? [:]
        expired["exp"] = .number(JSONNumber(Int64(Fixtures.now.timeIntervalSince1970)))
        var nested = claims.objectValue ?? [:]
        nested["signed_metadata"] = "e30.e30.e30"
        var foreign = claims.objectValue ?? [:]
        foreign["iss"] = "https://evil.example"
        var early = claims.objectValue ?? [:]
        early["nbf"] = .number(JSONNumber(Int64(Fixtures.now.timeIntervalSince1970) + 60))
        let cases = [
            try metadata(.object(early)), try metadata(claims, by: stranger), try metadata(.object(expired)),
            try metadata(.object(nested)),
            try metadata(.object(foreign)),
        ]
        for metadata in cases {
            #expect(refusal { try metadata.verified(by: keys, now: Fixtures.now) }?.code == .invalidSignature)
        }
        let open = try ProtectedResourceMetadata(document: [
            "resource": "https://a.example", "signed_metadata": "a.b.c",
        ])
        #expect(refusal { try open.verified(by: keys, now: Fixtures.now) }?.code == .invalidSignature)
    }
}
