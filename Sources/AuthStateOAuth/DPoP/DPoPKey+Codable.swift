import AuthStateJOSE

extension DPoPKey: Codable {
    private enum CodingKeys: String, CodingKey { case source, name, algorithm, thumbprint, key }

    /// Decodes a key, or the reference to one; it is imported on first use.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let source: Source
        var privateKey: JSONWebKey?
        switch try container.decode(String.self, forKey: .source) {
        case "environment": source = .environment(try container.decode(String.self, forKey: .name))
        case "file": source = .file(try container.decode(String.self, forKey: .name))
        default:
            source = .state
            do { privateKey = try JSONWebKey(json: container.decode(JSONValue.self, forKey: .key)) } catch is JOSEError
            {
                throw DecodingError.dataCorruptedError(
                    forKey: .key, in: container, debugDescription: "not a private key")
            }
        }
        storage = Storage(
            source, algorithm: try container.decode(SignatureAlgorithm.self, forKey: .algorithm),
            thumbprint: try container.decode(String.self, forKey: .thumbprint), privateKey: privateKey, imported: nil)
    }

    /// Encodes the key as a private JWK, or only the reference to it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch source {
        case .state:
            try container.encode("state", forKey: .source)
            try container.encodeIfPresent(storage.privateKey?.privateJSON, forKey: .key)
        case .environment(let name):
            try container.encode("environment", forKey: .source)
            try container.encode(name, forKey: .name)
        case .file(let path):
            try container.encode("file", forKey: .source)
            try container.encode(path, forKey: .name)
        }
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(thumbprint, forKey: .thumbprint)
    }
}
