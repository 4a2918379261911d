import ArgumentParser
import AuthStateKit

/// Who asks, and how it proves that.
struct ClientOptions: ParsableArguments {
    /// How the secret is sent.
    enum AuthMethod: String, ExpressibleByArgument, CaseIterable {
        case none, basic, post

        var method: ClientAuthenticationMethod {
            switch self {
            case .none: .none
            case .basic: .clientSecretBasic
            case .post: .clientSecretPost
            }
        }
    }

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The client's identifier.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("The environment variable with the client's secret.", valueName: "var"))
    var clientSecretEnv: String?

    @Option(help: "How the secret is sent. Default: what the provider supports, basic first.")
    var authMethod: AuthMethod?

    func validate() throws {
        if clientID.isEmpty { throw ValidationError("--client-id must not be empty.") }
        switch (clientSecretEnv, authMethod) {
        case (nil, .basic?), (nil, .post?):
            throw ValidationError("--auth-method \(authMethod?.rawValue ?? "") needs --client-secret-env.")
        case (_?, AuthMethod.none?): throw ValidationError("--auth-method none goes without --client-secret-env.")
        default: break
        }
        if let name = clientSecretEnv, !Self.isVariableName(name) {
            throw ValidationError("--client-secret-env takes the name of a variable, not the secret.")
        }
    }

    /// The credential; of the secret it holds only the variable's name.
    var credential: ClientCredential {
        clientSecretEnv.map { .environment($0, method: authMethod?.method) } ?? .none
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
