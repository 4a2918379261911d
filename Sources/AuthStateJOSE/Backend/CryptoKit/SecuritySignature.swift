#if canImport(CryptoKit) && canImport(Security)
    import Foundation
    import Security

    /// RSA by the Security framework, which CryptoKit leaves out.
    ///
    /// Unchecked: a `SecKey` is an immutable reference that Security lets any thread use.
    struct SecuritySignature: SignatureVerifier, SignatureSigner, @unchecked Sendable {
        private let key: SecKey
        private let algorithm: SecKeyAlgorithm

        init(scheme: SignatureScheme, pkcs1 der: [UInt8], keyClass: CFString) throws(JOSEError) {
            let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: keyClass] as CFDictionary
            guard let algorithm = scheme.securityAlgorithm,
                let key = SecKeyCreateWithData(Data(der) as CFData, attributes, nil)
            else { throw JOSEError(.malformed, "the key cannot be imported") }
            self.key = key
            self.algorithm = algorithm
        }

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            SecKeyVerifySignature(key, algorithm, Data(message) as CFData, Data(signature) as CFData, nil)
        }

        func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
            guard let signature = SecKeyCreateSignature(key, algorithm, Data(message) as CFData, nil) else {
                throw JOSEError(.backendUnavailable, "Security failed: signing")
            }
            return Array(signature as Data)
        }

        static func generateKey() throws(JOSEError) -> JSONWebKey {
            let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048] as CFDictionary
            guard let key = SecKeyCreateRandomKey(attributes, nil), let der = SecKeyCopyExternalRepresentation(key, nil)
            else { throw JOSEError(.backendUnavailable, "Security failed: key generation") }
            return try PrivateKeyDER(Array(der as Data)).rsaKey()
        }
    }

    extension SignatureScheme {
        fileprivate var securityAlgorithm: SecKeyAlgorithm? {
            switch self {
            case .rsaPKCS1(.sha256): .rsaSignatureMessagePKCS1v15SHA256
            case .rsaPKCS1(.sha384): .rsaSignatureMessagePKCS1v15SHA384
            case .rsaPKCS1(.sha512): .rsaSignatureMessagePKCS1v15SHA512
            case .rsaPSS(.sha256): .rsaSignatureMessagePSSSHA256
            case .rsaPSS(.sha384): .rsaSignatureMessagePSSSHA384
            case .rsaPSS(.sha512): .rsaSignatureMessagePSSSHA512
            case .ecdsa, .ed25519, .hmac: nil
            }
        }
    }
#endif
