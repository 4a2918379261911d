import AuthStateJOSE
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The common interface of the four kinds of public keys, in JOSE's forms.
protocol CurvePublicKey: Sendable {
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool
}

/// The common interface of the four kinds of private keys, in JOSE's forms.
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
        do { return try key.sign(message) } catch { throw JOSEError.failure("signing") }
    }
}

extension KeyMaterial {
    /// Imports the private key of a public one on a curve.
    func curveKey(scalar: [UInt8]) throws -> any CurvePrivateKey {
        switch self {
        case .ellipticCurve(.p256, _, _): try P256.Signing.PrivateKey(rawRepresentation: scalar)
        case .ellipticCurve(.p384, _, _): try P384.Signing.PrivateKey(rawRepresentation: scalar)
        case .ellipticCurve(.p521, _, _): try P521.Signing.PrivateKey(rawRepresentation: scalar)
        case .ed25519, .rsa, .symmetric: try Curve25519.Signing.PrivateKey(rawRepresentation: scalar)
        }
    }

    /// The numbers of a point in the uncompressed form of X9.63.
    fileprivate init(_ curve: EllipticCurve, x963 point: Data) {
        let numbers = point.dropFirst()
        let length = numbers.count / 2
        self = .ellipticCurve(curve, x: Array(numbers.prefix(length)), y: Array(numbers.suffix(length)))
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
    var material: KeyMaterial { KeyMaterial(.p256, x963: publicKey.x963Representation) }
    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
}

extension P384.Signing.PrivateKey: CurvePrivateKey {
    var material: KeyMaterial { KeyMaterial(.p384, x963: publicKey.x963Representation) }
    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
}

extension P521.Signing.PrivateKey: CurvePrivateKey {
    var material: KeyMaterial { KeyMaterial(.p521, x963: publicKey.x963Representation) }
    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message).rawRepresentation) }
}

extension Curve25519.Signing.PrivateKey: CurvePrivateKey {
    var material: KeyMaterial { .ed25519(x: Array(publicKey.rawRepresentation)) }
    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try signature(for: message)) }
}
