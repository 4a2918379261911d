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
        switch source {
        case .none: try container.encode("none", forKey: .source)
        case .environment(let name):
            try container.encode("environment", forKey: .source)
            try container.encode(name, forKey: .name)
        case .file(let path):
            try container.encode("file", forKey: .source)
            try container.encode(path, forKey: .name)
        case .value, .function: try container.encode("memory", forKey: .source)
        case .issued(let secret):
            try container.encode("issued", forKey: .source)
            try container.encode(secret, forKey: .secret)
        }
        try container.encodeIfPresent(method, forKey: .method)
        try container.encodeIfPresent(keyID, forKey: .keyID)
        try container.encodeIfPresent(signingAlgorithm, forKey: .signingAlgorithm)
        try container.encodeIfPresent(signedSecret, forKey: .signedSecret)
        if isAssertion { try container.encode(true, forKey: .isAssertion) }
    }
}
