public import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem

extension DPoPKey {
    /// Reads a key from a file that only its owner can read; only the path and the key's thumbprint are archived.
    ///
    /// The file has PEM (PKCS #8, PKCS #1 or SEC 1, not encrypted), or a JWK as JSON. Without an algorithm the key's own signs,
    /// else the usual one of its type.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`.
    public static func file(_ path: String, algorithm: SignatureAlgorithm? = nil) throws -> DPoPKey {
        try DPoPKey(read(.file(path), stage: .usage), from: .file(path), algorithm: algorithm)
    }

    /// Reads a key from an environment variable, in a file's formats; only the name and the thumbprint are archived.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`.
    public static func environment(_ name: String, algorithm: SignatureAlgorithm? = nil) throws -> DPoPKey {
        try DPoPKey(read(.environment(name), stage: .usage), from: .environment(name), algorithm: algorithm)
    }

    /// Returns the imported key with the header of its proofs; reads the key from its source on the first use. Throws
    /// `AuthStateError` with `.credentialUnavailable`.
    func signer(stage: AuthStateError.Stage) throws -> DPoPSigner {
        do { return try signer { source in try Self.read(source, stage: stage) } } catch let error as AuthStateError {
            throw error.at(stage)
        }
    }

    private static func read(_ source: Source, stage: AuthStateError.Stage) throws -> JSONWebKey {
        let (text, place): (String, String)
        switch source {
        case .state: throw SecretSource.noKey(in: "the state", stage: stage)
        case .environment(let name):
            text = try SecretSource.variable(name, holding: "the DPoP key", stage: stage)
            place = "the environment variable \(name)"
        case .file(let path):
            text = try SecretSource.content(ofFile: path, holding: "the DPoP key", stage: stage)
            place = "the file \(path)"
        }
        do { return try SecretSource.privateKey(in: text) } catch {
            throw SecretSource.noKey(in: place, stage: stage, error)
        }
    }
}
