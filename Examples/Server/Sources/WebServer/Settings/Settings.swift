public import AuthStateHummingbird
public import AuthStateKit

/// How this server is set up; `init(environment:)` reads it from the environment.
public struct Settings: Sendable {
    /// The provider to use.
    public enum ProviderChoice: Sendable, Hashable {
        /// A provider in this process, on this port.
        case demo(port: UInt16)
        /// A provider at which this server is registered.
        case issuer(String, clientID: String, credential: ClientCredential)
    }

    /// The provider to use.
    public var provider: ProviderChoice
    /// The scopes to ask for.
    public var scopes: [Scope] = [.openID, .profile, .email]
    /// Deviations of the provider that are accepted.
    public var tolerances: Set<Tolerance> = []
    /// Where browsers find this server.
    public var baseURL: BaseURL
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on.
    public var port: Int
    /// Where the states of signed-in users are kept.
    public var storage: Storage

    /// Makes settings.
    public init(provider: ProviderChoice, baseURL: BaseURL, port: Int, storage: Storage) {
        self.provider = provider
        self.baseURL = baseURL
        self.port = port
        self.storage = storage
    }
}

/// An error in the set-up, for the user who starts the server.
public struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// The environment variable.
    public var variable: String
    /// The problem and the remedy; never the value, when that is a secret.
    public var problem: String

    /// Makes an error.
    public init(variable: String, problem: String) {
        self.variable = variable
        self.problem = problem
    }

    /// The variable and the problem in one line.
    public var description: String { "\(variable): \(problem)" }
}
