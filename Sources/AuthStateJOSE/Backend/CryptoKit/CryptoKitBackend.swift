#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    /// Cryptography by Apple's CryptoKit, and by Security for RSA.
    struct CryptoKitBackend: CryptoBackend {
        func digest(_ function: SHA2.Function, of bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
            switch function {
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        }

        func authenticationCode(
            _ function: SHA2.Function, key: [UInt8], of bytes: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            let key = SymmetricKey(data: key)
            return switch function {
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
            case .sha384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
            }
        }

        func verifier(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureVerifier {
            switch key.material {
            case .rsa(let modulus, let exponent):
                let der = DER.sequence(DER.integer(modulus), DER.integer(exponent))
                return try SecuritySignature(scheme: scheme, pkcs1: der, keyClass: kSecAttrKeyClassPublic)
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

        func signer(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureSigner {
            switch (key.material, key.privateMaterial) {
            case (.rsa, .rsa):
                return try SecuritySignature(
                    scheme: scheme, pkcs1: key.privateKeyDER ?? [], keyClass: kSecAttrKeyClassPrivate)
            case (let material, .scalar(let d)):
                let imported = try importing { try Self.curveKey(like: material, scalar: d.bytes) }
                guard imported.material == material else {
                    throw JOSEError(.malformed, "the key's public and private parts do not belong together")
                }
                return CurveSigner(key: imported)
            default:
                throw JOSEError(.keyMismatch, "the key is not private")
            }
        }

        func generateKey(for scheme: SignatureScheme) throws(JOSEError) -> JSONWebKey {
            switch scheme {
            case .rsaPKCS1, .rsaPSS: try SecuritySignature.generateKey()
            case .ecdsa(.p256, _): P256.Signing.PrivateKey().exported
            case .ecdsa(.p384, _): P384.Signing.PrivateKey().exported
            case .ecdsa(.p521, _): P521.Signing.PrivateKey().exported
            case .ed25519: Curve25519.Signing.PrivateKey().exported
            case .hmac: throw JOSEError(.unsupportedAlgorithm, "a symmetric key is random bytes")
            }
        }

        func privateKey(der: [UInt8]) throws(JOSEError) -> JSONWebKey {
            if let key = try? P256.Signing.PrivateKey(derRepresentation: der) { return key.exported }
            if let key = try? P384.Signing.PrivateKey(derRepresentation: der) { return key.exported }
            if let key = try? P521.Signing.PrivateKey(derRepresentation: der) { return key.exported }
            let key = PrivateKeyDER(der)
            if let seed = key.ed25519Seed, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) {
                return key.exported
            }
            return try key.rsaKey()
        }

        private static func curveKey(like material: KeyMaterial, scalar: [UInt8]) throws -> any CurvePrivateKey {
            switch material {
            case .ellipticCurve(.p256, _, _): try P256.Signing.PrivateKey(rawRepresentation: scalar)
            case .ellipticCurve(.p384, _, _): try P384.Signing.PrivateKey(rawRepresentation: scalar)
            case .ellipticCurve(.p521, _, _): try P521.Signing.PrivateKey(rawRepresentation: scalar)
            default: try Curve25519.Signing.PrivateKey(rawRepresentation: scalar)
            }
        }

        private func importing<Key>(_ body: () throws -> Key) throws(JOSEError) -> Key {
            do {
                return try body()
            } catch {
                throw JOSEError(.malformed, "the key cannot be imported")
            }
        }
    }
#endif
