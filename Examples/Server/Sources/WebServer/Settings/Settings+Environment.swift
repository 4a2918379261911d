import AuthStateHummingbird
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Settings {
    /// Reads the environment; the table of variables is in the README.
    ///
    /// - Throws: `SettingsError` that names the variable.
    public init(environment: [String: String]) throws {
        let variables = Variables(environment: environment)
        let port = try variables.port("PORT") ?? 8080
        let baseURL = try variables.baseURL(otherwise: "http://127.0.0.1:\(port)")
        self.init(
            provider: try Self.provider(variables, port: port), baseURL: baseURL, port: Int(port),
            storage: try Self.storage(variables))
        host = variables["HOST"] ?? host
        tolerances = Set((variables["TOLERATE"] ?? "").split(separator: " ").map { Tolerance(rawValue: String($0)) })
        if let words = variables["SCOPE"]?.split(separator: " ") {
            scopes = words.map { Scope(rawValue: String($0)) }
            guard scopes.contains(.openID), scopes.allSatisfy(\.isValid) else {
                throw SettingsError(variable: "SCOPE", problem: "it has to be scopes with openid among them")
            }
        }
    }

    private static func provider(_ variables: Variables, port: UInt16) throws -> ProviderChoice {
        guard let issuer = variables["ISSUER"] else {
            for name in ["CLIENT_ID", "CLIENT_SECRET"] where variables[name] != nil {
                throw SettingsError(variable: "ISSUER", problem: "it is missing, and \(name) is set")
            }
            return .demo(port: port == 0 || port == .max ? 0 : port + 1)
        }
        do { _ = try Issuer(issuer) } catch { throw SettingsError(variable: "ISSUER", problem: "\(error)") }
        guard let clientID = variables["CLIENT_ID"] else {
            throw SettingsError(
                variable: "CLIENT_ID", problem: "it is missing: the name under which this server is registered")
        }
        // Only the variable's name is kept with a state, never the secret.
        let isConfidential = variables["CLIENT_SECRET"] != nil
        return .issuer(issuer, clientID: clientID, credential: isConfidential ? .environment("CLIENT_SECRET") : .none)
    }

    private static func storage(_ variables: Variables) throws -> Storage {
        let keys = try variables.sealingKeys()
        if let connectionString = variables["DATABASE_URL"] {
            return Storage(.database(connectionString: connectionString), sealingKeys: keys)
        }
        return Storage(.files(folder: try variables.stateFolder()), sealingKeys: keys)
    }
}

/// Environment variables; an empty one is treated as not set.
struct Variables {
    let environment: [String: String]

    subscript(name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    func port(_ name: String) throws -> UInt16? {
        guard let text = self[name] else { return nil }
        guard let port = UInt16(text) else {
            throw SettingsError(variable: name, problem: "\(text) is not a number from 0 to 65535")
        }
        return port
    }

    /// Cookies and codes travel to this URL: over TLS, or not at all off this machine.
    func baseURL(otherwise usual: String) throws -> BaseURL {
        let text = self["BASE_URL"] ?? usual
        guard let url = BaseURL(text) else {
            throw SettingsError(
                variable: "BASE_URL",
                problem: "\(text) is not the address of a site, such as https://app.example, without a path")
        }
        guard url.isSecure || url.isLoopback else {
            throw SettingsError(
                variable: "BASE_URL",
                problem: "\(text) has to be https; http is for this machine alone (put a proxy with TLS in front)")
        }
        return url
    }

    func stateFolder() throws -> String {
        if let folder = self["STATE_FOLDER"] { return folder }
        if let folder = self["XDG_STATE_HOME"], folder.hasPrefix("/") { return "\(folder)/authstate-server" }
        guard let home = self["HOME"], home.hasPrefix("/") else {
            throw SettingsError(variable: "STATE_FOLDER", problem: "it is missing, and there is no home folder")
        }
        return "\(home)/.local/state/authstate-server"
    }

    /// Keys as base64, the newest first, spaces between them; an error about a key does not show it.
    func sealingKeys() throws -> [SealingKey] {
        try (self["SEALING_KEY"] ?? "").split(separator: " ").map { text in
            guard let bytes = Data(base64Encoded: String(text)), let key = try? SealingKey(bytes: bytes) else {
                throw SettingsError(
                    variable: "SEALING_KEY", problem: "a key is 32 bytes as base64: openssl rand -base64 32")
            }
            return key
        }
    }
}
