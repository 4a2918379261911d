import AuthStateJOSE
import Crypto
import CryptoExtras

/// A scheme for RSA: its padding, and the digest that is signed.
private struct RSAScheme: Sendable {
    let padding: _RSA.Signing.Padding
    let function: SHA2.Function

    init(_ scheme: SignatureScheme) throws(JOSEError) {
        switch scheme {
        case .rsaPKCS1(let function): (padding, self.function) = (.insecurePKCS1v1_5, function)
        case .rsaPSS(let function): (padding, self.function) = (.PSS, function)
        case .ecdsa, .ed25519, .hmac: throw JOSEError(.keyMismatch, "an RSA key has another scheme")
        }
    }

    func isValid(_ signature: _RSA.Signing.RSASignature, for message: [UInt8], by key: _RSA.Signing.PublicKey) -> Bool {
        switch function {
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }

    func sign(_ message: [UInt8], with key: _RSA.Signing.PrivateKey) throws -> _RSA.Signing.RSASignature {
        switch function {
        case .sha256: try key.signature(for: SHA256.hash(data: message), padding: padding)
        case .sha384: try key.signature(for: SHA384.hash(data: message), padding: padding)
        case .sha512: try key.signature(for: SHA512.hash(data: message), padding: padding)
        }
    }
}

struct RSAVerifier: SignatureVerifier {
    private let scheme: RSAScheme
    private let key: _RSA.Signing.PublicKey

    init(_ scheme: SignatureScheme, modulus: [UInt8], exponent: [UInt8]) throws(JOSEError) {
        self.scheme = try RSAScheme(scheme)
        key = try importing { try _RSA.Signing.PublicKey(n: modulus, e: exponent) }
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
        scheme.isValid(_RSA.Signing.RSASignature(rawRepresentation: signature), for: message, by: key)
    }
}

struct RSASigner: SignatureSigner {
    private let scheme: RSAScheme
    private let key: _RSA.Signing.PrivateKey

    init(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) {
        guard let der = key.privateKeyDER else { throw JOSEError(.keyMismatch, "the key is not private") }
        self.scheme = try RSAScheme(scheme)
        self.key = try importing { try _RSA.Signing.PrivateKey(unsafeDERRepresentation: der) }
    }

    func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
        do { return try scheme.sign(message, with: key).withUnsafeBytes { Array($0) } } catch {
            throw JOSEError.failure("signing")
        }
    }

    static func generateKey() throws(JOSEError) -> JSONWebKey {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
            throw JOSEError.failure("key generation")
        }
        return try PrivateKeyDER(Array(key.derRepresentation)).rsaKey()
    }
}
