import AuthStateJOSE

extension ClientCredential: Codable {
    private enum CodingKeys: String, CodingKey {
        case source, name, secret, method, keyID, signingAlgorithm, signedSecret, isAssertion
    }

    /// Decodes a reference; a secret that was in memory only is decoded as absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
        switch try container.decode(String.self, forKey: .source) {
        case "none": source = .none
        case "environment": source = .environment(name)
        case "file": source = .file(name)
        case "issued": source = .issued(try container.decode(String.self, forKey: .secret))
        default: source = .value("")
        }
        method = try container.decodeIfPresent(ClientAuthenticationMethod.self, forKey: .method)
        keyID = try container.decodeIfPresent(String.self, forKey: .keyID)
        signingAlgorithm = try container.decodeIfPresent(SignatureAlgorithm.self, forKey: .signingAlgorithm)
        signedSecret = try container.decodeIfPresent(SignedClientSecret.self, forKey: .signedSecret)
        isAssertion = try container.decodeIfPresent(Bool.self, forKey: .isAssertion) ?? false
    }

    /// Encodes the reference, and of secrets only one that registration issued.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let (kind, name, secret): (String, String?, String?) =
            switch source {
            case .none: ("none", nil, nil)
            case .environment(let name): ("environment", name, nil)
            case .file(let path): ("file", path, nil)
            case .value, .function: ("memory", nil, nil)
            case .issued(let secret): ("issued", nil, secret)
            }
        try container.encode(kind, forKey: .source)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(secret, forKey: .secret)
        try container.encodeIfPresent(method, forKey: .method)
        try container.encodeIfPresent(keyID, forKey: .keyID)
        try container.encodeIfPresent(signingAlgorithm, forKey: .signingAlgorithm)
        try container.encodeIfPresent(signedSecret, forKey: .signedSecret)
        if isAssertion { try container.encode(true, forKey: .isAssertion) }
    }
}
