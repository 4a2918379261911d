import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientCredential {
    /// Fetches the secret from where it is.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` that names the variable or file.
    func authentication(
        clientID: String, metadata: ProviderMetadata?, stage: AuthStateError.Stage
    ) throws -> ClientAuthentication {
        guard let secret = try secret(stage: stage), method != ClientAuthenticationMethod.none else {
            return .none(clientID: clientID)
        }
        return try .secret(
            secret, clientID: clientID, method: method ?? ClientAuthentication.preferredMethod(metadata))
    }

    /// The secret; nil for a public client.
    func secret(stage: AuthStateError.Stage) throws -> String? {
        func missing(_ message: String, _ hint: String) -> AuthStateError {
            AuthStateError(.credentialUnavailable, stage: stage, message, hint: hint)
        }
        switch source {
        case .none: return nil
        case .issued(let secret): return secret
        case .value(let secret):
            guard !secret.isEmpty else {
                throw missing(
                    "The client's secret was in the memory of another process.",
                    "Give the credential when the state is restored.")
            }
            return secret
        case .environment(let name):
            guard let secret = ProcessInfo.processInfo.environment[name], !secret.isEmpty else {
                throw missing(
                    "The environment variable \(name), which holds the client's secret, is not set.",
                    "Set \(name) and try again.")
            }
            return secret
        case .file(let path):
            let text = try? String(contentsOfFile: path, encoding: .utf8)
            guard let secret = text?.split(whereSeparator: \.isNewline).first else {
                throw missing(
                    "The file \(path), which holds the client's secret, cannot be read or is empty.",
                    "Put the secret into its first line.")
            }
            return String(secret)
        }
    }
}
