/// Where a client's secret is and how it is used; static secrets are referred to and never archived.
public struct ClientCredential: Sendable, Hashable {
    /// The place of the secret.
    public enum Source: Sendable, Hashable {
        /// A public client has none.
        case none
        /// The environment variable of this name.
        case environment(String)
        /// The first line of the file at this path.
        case file(String)
        /// In the memory of this process only: a state restored elsewhere needs the credential again.
        case value(String)
        /// Issued by dynamic registration, and archived with the state because nobody else keeps it.
        case issued(String)
    }

    /// Where the secret is.
    public var source: Source
    /// How it is used; nil takes what the provider's metadata allow, HTTP Basic first.
    public var method: ClientAuthenticationMethod?

    /// Makes a credential.
    public init(_ source: Source, method: ClientAuthenticationMethod? = nil) {
        self.source = source
        self.method = method
    }

    /// A public client.
    public static let none = ClientCredential(.none)

    /// The secret is in an environment variable; only its name is archived.
    public static func environment(_ name: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.environment(name), method: method)
    }

    /// The secret is the first line of a file; only its path is archived.
    public static func file(_ path: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.file(path), method: method)
    }

    /// The secret itself; it is never archived.
    public static func secret(_ secret: String, method: ClientAuthenticationMethod? = nil) -> Self {
        Self(.value(secret), method: method)
    }
}

extension ClientCredential: Codable {
    private enum CodingKeys: String, CodingKey { case source, name, secret, method }

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
        case .value: try container.encode("memory", forKey: .source)
        case .issued(let secret):
            try container.encode("issued", forKey: .source)
            try container.encode(secret, forKey: .secret)
        }
        try container.encodeIfPresent(method, forKey: .method)
    }
}

extension ClientCredential: CustomStringConvertible, CustomReflectable {
    /// Where the secret is, never the secret.
    public var description: String { source.description }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

extension ClientCredential.Source: CustomStringConvertible, CustomReflectable {
    /// The place, never the secret.
    public var description: String {
        switch self {
        case .none: "public client"
        case .environment(let name): "secret in the environment variable \(name)"
        case .file(let path): "secret in the file \(path)"
        case .value: "secret in memory"
        case .issued: "secret issued by registration"
        }
    }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["source": description]) }
}
