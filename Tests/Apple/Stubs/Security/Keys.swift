@_exported import CoreFoundation
import Crypto
import CryptoExtras
@_exported import DarwinTypes
import Foundation

// RSA really works here, by swift-crypto.

public final class SecKey {
    fileprivate enum Part {
        case `public`(_RSA.Signing.PublicKey)
        case `private`(_RSA.Signing.PrivateKey)
    }

    fileprivate let part: Part
    fileprivate init(_ part: Part) { self.part = part }
}

public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(rawValue: "rsaSignatureMessagePKCS1v15SHA256")
    public static let rsaSignatureMessagePKCS1v15SHA384 = Self(rawValue: "rsaSignatureMessagePKCS1v15SHA384")
    public static let rsaSignatureMessagePKCS1v15SHA512 = Self(rawValue: "rsaSignatureMessagePKCS1v15SHA512")
    public static let rsaSignatureMessagePSSSHA256 = Self(rawValue: "rsaSignatureMessagePSSSHA256")
    public static let rsaSignatureMessagePSSSHA384 = Self(rawValue: "rsaSignatureMessagePSSSHA384")
    public static let rsaSignatureMessagePSSSHA512 = Self(rawValue: "rsaSignatureMessagePSSSHA512")
}

// Immutable.
nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"

public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    let attributes = attributes as? [CFString: CFString]
    guard attributes?[kSecAttrKeyType] == kSecAttrKeyTypeRSA else { return nil }
    let der = keyData as Data
    if attributes?[kSecAttrKeyClass] == kSecAttrKeyClassPublic {
        return (try? _RSA.Signing.PublicKey(unsafeDERRepresentation: der)).map { SecKey(.public($0)) }
    }
    return (try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: der)).map { SecKey(.private($0)) }
}

public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    (try? _RSA.Signing.PrivateKey(keySize: .bits2048)).map { SecKey(.private($0)) }
}

public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    switch key.part {
    case .public(let key): key.pkcs1DERRepresentation as CFData
    case .private(let key): key.derRepresentation as CFData
    }
}

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard case .private(let key) = key.part else { return nil }
    let (message, padding) = (dataToSign as Data, algorithm.padding)
    let signature =
        switch algorithm.digestBits {
        case 256: try? key.signature(for: SHA256.hash(data: message), padding: padding)
        case 384: try? key.signature(for: SHA384.hash(data: message), padding: padding)
        default: try? key.signature(for: SHA512.hash(data: message), padding: padding)
        }
    return signature.map { $0.rawRepresentation as CFData }
}

public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    guard case .public(let key) = key.part else { return false }
    let (message, padding) = (signedData as Data, algorithm.padding)
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature as Data)
    return switch algorithm.digestBits {
    case 256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
    case 384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
    default: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
    }
}

extension SecKeyAlgorithm {
    fileprivate var padding: _RSA.Signing.Padding { rawValue.contains("PSS") ? .PSS : .insecurePKCS1v1_5 }
    fileprivate var digestBits: Int? { Int(rawValue.suffix(3)) }
}
