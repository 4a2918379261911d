import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who asks, and how it proves that.
struct ClientOptions: ParsableArguments {
    /// How the secret is sent, or what signs.
    enum AuthMethod: String, ExpressibleByArgument, CaseIterable {
        case none, basic, post
        case secretJWT = "secret-jwt"
        case privateKeyJWT = "private-key-jwt"

        var method: ClientAuthenticationMethod {
            switch self {
            case .none: .none
            case .basic: .clientSecretBasic
            case .post: .clientSecretPost
            case .secretJWT: .clientSecretJWT
            case .privateKeyJWT: .privateKeyJWT
            }
        }
    }

    /// Whom a signed assertion is for.
    enum AssertionAudience: String, ExpressibleByArgument, CaseIterable {
        case issuer, endpoint
    }

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The client's identifier.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("The environment variable with the client's secret.", valueName: "var"))
    var clientSecretEnv: String?

    @Option(
        help: ArgumentHelp(
            "The file with the client's private key: PEM or JWK, for private-key-jwt.", valueName: "file"))
    var privateKey: String?

    @Option(name: .customLong("key-id"), help: ArgumentHelp("The name of the private key (kid).", valueName: "id"))
    var keyID: String?

    @Option(
        help: ArgumentHelp(
            "How the client proves who it is. Default: private-key-jwt with --private-key, none without a secret, else "
                + "what the provider supports, basic first."))
    var authMethod: AuthMethod?

    @Option(help: "Whom assertions are for (aud): the issuer, or the URL of the called endpoint. Default: issuer.")
    var assertionAudience: AssertionAudience?

    func validate() throws {
        if clientID.isEmpty { throw ValidationError("--client-id must not be empty.") }
        if keyID != nil, privateKey == nil { throw ValidationError("--key-id goes with --private-key.") }
        if privateKey?.isEmpty == true { throw ValidationError("--private-key has to name a file.") }
        let needed: String? =
            switch authMethod {
            case .basic?, .post?, .secretJWT?: "--client-secret-env"
            case .privateKeyJWT?: "--private-key"
            case AuthMethod.none?, nil: nil
            }
        let given = [("--client-secret-env", clientSecretEnv), ("--private-key", privateKey)]
            .filter { $0.1 != nil }.map(\.0)
        if let authMethod {
            if let needed, !given.contains(needed) {
                throw ValidationError("--auth-method \(authMethod.rawValue) needs \(needed).")
            }
            if let extra = given.first(where: { $0 != needed }) {
                throw ValidationError("--auth-method \(authMethod.rawValue) goes without \(extra).")
            }
        } else if given.count > 1 {
            throw ValidationError("--private-key goes without --client-secret-env.")
        }
        if assertionAudience != nil, privateKey == nil, authMethod != .secretJWT {
            throw ValidationError("--assertion-audience goes with private-key-jwt and secret-jwt.")
        }
        if let name = clientSecretEnv, !Self.isVariableName(name) {
            throw ValidationError("--client-secret-env takes the name of a variable, not the secret.")
        }
    }

    /// The credential: of the secret only the variable's name, of the key only the path, from the root as later commands may
    /// run in another folder.
    var credential: ClientCredential {
        if let privateKey { return .privateKey(file: privateKey.absolutePath, keyID: keyID) }
        return clientSecretEnv.map { .environment($0, method: authMethod?.method) } ?? .none
    }

    /// Whether the client can prove who it is.
    var isConfidential: Bool { clientSecretEnv != nil || privateKey != nil }

    /// The provider's endpoints, as this client has to use them; kept with the login.
    func adapt(_ configuration: ServiceConfiguration) -> ServiceConfiguration {
        var configuration = configuration
        if assertionAudience == .endpoint { configuration.tolerances.insert(.endpointAudience) }
        return configuration
    }

    /// Letters, digits and underscores; anything else is likely to be the secret itself and is never repeated.
    private static func isVariableName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
    }
}

extension String {
    /// The path from the root, for a path that was given in the current folder.
    var absolutePath: String { hasPrefix("/") ? self : "\(FileManager.default.currentDirectoryPath)/\(self)" }
}
