import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem

extension ClientCredential {
    /// Returns the public part of the private key, for `RegistrationRequest.keys`.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable` when the key cannot be read.
    public func publicKey() throws -> JSONWebKey { try privateKey(stage: .registration).publicKey }

    /// Reads the private key from its source, anew for every request, so that it can be replaced. Throws
    /// `AuthStateError` with `.credentialUnavailable`, naming the variable or file and showing nothing of it.
    func privateKey(stage: AuthStateError.Stage) throws -> JSONWebKey {
        try checkNamed(stage: stage)
        guard !isAssertion else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "An assertion of another party signs nothing.",
                expected: "a private key", received: "\(self)")
        }
        guard let text = try content("the client's private key", stage: stage) else {
            throw AuthStateError(
                .credentialUnavailable, stage: stage, "The client's private key is not given.",
                hint: "Give a credential that says where it is.")
        }
        do {
            var key = try SecretSource.privateKey(in: text)
            key.keyID = keyID ?? key.keyID
            return key
        } catch {
            throw SecretSource.noKey(in: place, stage: stage, error)
        }
    }

    private var place: String {
        switch source {
        case .file(let path): "the file \(path)"
        case .environment(let name): "the environment variable \(name)"
        case .none, .issued, .value, .function: "the credential"
        }
    }
}
