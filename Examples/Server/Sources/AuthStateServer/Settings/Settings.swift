public import AuthStateKit

/// How this server is set up; `init(environment:)` reads it from the environment.
public struct Settings: Sendable {
    /// Who signs people in.
    public enum ProviderChoice: Sendable, Hashable {
        /// A provider in this process, on this port.
        case demo(port: UInt16)
        /// A provider at which this server is registered.
        case issuer(String, clientID: String, credential: ClientCredential)
    }

    /// Who signs people in.
    public var provider: ProviderChoice
    /// What is asked for.
    public var scopes: [Scope] = [.openID, .profile, .email]
    /// Where browsers find this server.
    public var baseURL: BaseURL
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on.
    public var port: Int
    /// Where the states of those who are signed in are kept.
    public var storage: Storage

    /// Makes settings.
    public init(provider: ProviderChoice, baseURL: BaseURL, port: Int, storage: Storage) {
        self.provider = provider
        self.baseURL = baseURL
        self.port = port
        self.storage = storage
    }
}

/// What is wrong with the set-up, for the person who starts the server.
public struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// The environment variable.
    public var variable: String
    /// What is wrong with it, and what it should be; never its value, when that is a secret.
    public var problem: String

    /// Makes an error.
    public init(variable: String, problem: String) {
        self.variable = variable
        self.problem = problem
    }

    /// Both in one line.
    public var description: String { "\(variable): \(problem)" }
}
