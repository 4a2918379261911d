#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation

    /// The common interface of CryptoKit's four public keys, in JOSE's forms.
    protocol CurvePublicKey: Sendable {
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool
    }

    /// The common interface of CryptoKit's four private keys, in JOSE's forms.
    protocol CurvePrivateKey: Sendable {
        var material: KeyMaterial { get }
        var rawRepresentation: Data { get }
        func sign(_ message: [UInt8]) throws -> [UInt8]
    }

    extension CurvePrivateKey {
        var exported: JSONWebKey { JSONWebKey(material, privateMaterial: .scalar(SecretBytes(rawRepresentation))) }
    }

    struct CurveVerifier: SignatureVerifier {
        let key: any CurvePublicKey

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            key.isValid(signature, for: message)
        }
    }

    struct CurveSigner: SignatureSigner {
        let key: any CurvePrivateKey

        func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
            do {
                return try key.sign(message)
            } catch {
                throw JOSEError(.backendUnavailable, "CryptoKit failed: signing")
            }
        }
    }

    extension EllipticCurve {
        /// The point of an uncompressed X9.63 form.
        fileprivate func material(x963 point: Data) -> KeyMaterial {
            .ellipticCurve(
                self, x: Array(point.dropFirst().prefix(coordinateLength)), y: Array(point.suffix(coordinateLength)))
        }
    }

    // ECDSA signs with the hash that belongs to the curve: SHA-256, SHA-384 and SHA-512, as JOSE does.

    extension P256.Signing.PublicKey: CurvePublicKey {
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return isValidSignature(signature, for: message)
        }
    }

    extension P384.Signing.PublicKey: CurvePublicKey {
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return isValidSignature(signature, for: message)
        }
    }

    extension P521.Signing.PublicKey: CurvePublicKey {
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return isValidSignature(signature, for: message)
        }
    }

    extension Curve25519.Signing.PublicKey: CurvePublicKey {
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { isValidSignature(signature, for: message) }
    }

    extension P256.Signing.PrivateKey: CurvePrivateKey {
        var material: KeyMaterial { EllipticCurve.p256.material(x963: publicKey.x963Representation) }
        func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
    }

    extension P384.Signing.PrivateKey: CurvePrivateKey {
        var material: KeyMaterial { EllipticCurve.p384.material(x963: publicKey.x963Representation) }
        func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
    }

    extension P521.Signing.PrivateKey: CurvePrivateKey {
        var material: KeyMaterial { EllipticCurve.p521.material(x963: publicKey.x963Representation) }
        func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
    }

    extension Curve25519.Signing.PrivateKey: CurvePrivateKey {
        var material: KeyMaterial { .ed25519(x: Array(publicKey.rawRepresentation)) }
        func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message)) }
    }
#endif
