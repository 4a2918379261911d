public import AuthStateJOSE
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Cryptography by swift-crypto, whose BoringSSL is compiled into the program: nothing has to be installed or opened at run
/// time, as a static binary demands.
///
/// `Cryptography.use(SwiftCryptoBackend())`, first in the program, makes everything use it.
public struct SwiftCryptoBackend: CryptoBackend {
    /// Makes the backend.
    public init() {}

    /// The digest of bytes.
    public func digest(_ function: SHA2.Function, of bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
        switch function {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// The HMAC of bytes (RFC 2104).
    ///
    /// - Parameters:
    ///   - function: The hash function of the HMAC.
    ///   - key: The secret key.
    ///   - bytes: The message.
    public func authenticationCode(
        _ function: SHA2.Function, key: [UInt8], of bytes: [UInt8]
    ) throws(JOSEError) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch function {
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
        }
    }

    /// Imports a public key.
    public func verifier(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureVerifier {
        switch key.material {
        case .rsa(let modulus, let exponent):
            return try RSAVerifier(scheme, modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y):
            let point = [0x04] + x + y
            return try importing {
                switch curve {
                case .p256: CurveVerifier(key: try P256.Signing.PublicKey(x963Representation: point))
                case .p384: CurveVerifier(key: try P384.Signing.PublicKey(x963Representation: point))
                case .p521: CurveVerifier(key: try P521.Signing.PublicKey(x963Representation: point))
                }
            }
        case .ed25519(let x):
            return try importing { CurveVerifier(key: try Curve25519.Signing.PublicKey(rawRepresentation: x)) }
        case .symmetric:
            throw JOSEError(.keyMismatch, "a symmetric key verifies HMAC only")
        }
    }

    /// Imports a private key; refuses one whose public part is another key's.
    public func signer(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureSigner {
        guard case .scalar(let scalar) = key.privateMaterial else { return try RSASigner(scheme, key: key) }
        let imported = try importing { try key.material.curveKey(scalar: scalar.bytes) }
        guard imported.material == key.material else { throw JOSEError.mismatch }
        return CurveSigner(key: imported)
    }

    /// Generates a private key.
    public func generateKey(for scheme: SignatureScheme) throws(JOSEError) -> JSONWebKey {
        switch scheme {
        case .rsaPKCS1, .rsaPSS: try RSASigner.generateKey()
        case .ecdsa(.p256, _): P256.Signing.PrivateKey().exported
        case .ecdsa(.p384, _): P384.Signing.PrivateKey().exported
        case .ecdsa(.p521, _): P521.Signing.PrivateKey().exported
        case .ed25519: Curve25519.Signing.PrivateKey().exported
        case .hmac: throw JOSEError(.unsupportedAlgorithm, "a symmetric key is random bytes")
        }
    }

    /// Reads a private key from PKCS #8, PKCS #1 or SEC 1.
    public func privateKey(der: [UInt8]) throws(JOSEError) -> JSONWebKey {
        if let key = try? P256.Signing.PrivateKey(derRepresentation: der) { return key.exported }
        if let key = try? P384.Signing.PrivateKey(derRepresentation: der) { return key.exported }
        if let key = try? P521.Signing.PrivateKey(derRepresentation: der) { return key.exported }
        let key = PrivateKeyDER(der)
        if let seed = key.ed25519Seed, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) {
            return key.exported
        }
        return try key.rsaKey()
    }
}

/// Runs an import; any error of swift-crypto means that it refuses the key.
func importing<Key>(_ body: () throws -> Key) throws(JOSEError) -> Key {
    do { return try body() } catch { throw JOSEError(.malformed, "the key cannot be imported") }
}

extension JOSEError {
    static let mismatch = JOSEError(.malformed, "the key's public and private parts do not belong together")

    static func failure(_ operation: String) -> JOSEError {
        JOSEError(.backendUnavailable, "swift-crypto failed: \(operation)")
    }
}
