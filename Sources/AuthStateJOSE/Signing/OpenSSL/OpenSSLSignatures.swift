#if os(Linux)
    internal import CAuthStateCrypto

    /// Verifies with copies of one context that was prepared when the key was imported: preparing costs more than copying.
    ///
    /// Unchecked: after the initialiser the template is only read, by `EVP_MD_CTX_copy_ex`, whose source is const.
    final class OpenSSLVerifier: SignatureVerifier, @unchecked Sendable {
        private let scheme: SignatureScheme
        private let key: OpenSSLKey
        private let template: OpaquePointer

        init(scheme: SignatureScheme, key: OpenSSLKey) throws(JOSEError) {
            self.scheme = scheme
            self.key = key
            template = try key.makeContext(scheme, prepare: key.library.functions.EVP_DigestVerifyInit)
            // The copies are used once: without this flag libcrypto would copy them again before it finishes.
            key.library.functions.EVP_MD_CTX_set_flags(template, Int32(AuthStateCrypto_EVP_MD_CTX_FLAG_FINALISE))
        }

        deinit { key.library.functions.EVP_MD_CTX_free(template) }

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            guard let signature = scheme.encoded(signature) else { return false }
            let functions = key.library.functions
            guard let context = functions.EVP_MD_CTX_new() else { throw key.library.failure("verification") }
            defer { functions.EVP_MD_CTX_free(context) }
            guard functions.EVP_MD_CTX_copy_ex(context, template) == 1 else {
                throw key.library.failure("verification")
            }
            let result = functions.EVP_DigestVerify(context, signature, signature.count, message, message.count)
            if result != 1 { functions.ERR_clear_error() }
            return result == 1
        }
    }

    /// Signs; a context for each signature.
    struct OpenSSLSigner: SignatureSigner {
        let scheme: SignatureScheme
        let key: OpenSSLKey

        func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
            let functions = key.library.functions
            let context = try key.makeContext(scheme, prepare: functions.EVP_DigestSignInit)
            defer { functions.EVP_MD_CTX_free(context) }
            var length = 0
            guard functions.EVP_DigestSign(context, nil, &length, message, message.count) == 1 else {
                throw key.library.failure("signing")
            }
            var output = [UInt8](repeating: 0, count: length)
            guard functions.EVP_DigestSign(context, &output, &length, message, message.count) == 1,
                let signature = scheme.decoded(Array(output.prefix(length)))
            else { throw key.library.failure("signing") }
            return signature
        }
    }

    extension OpenSSLKey {
        typealias Prepare =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
            ) -> Int32

        /// A context for one operation with this key; the caller frees it.
        fileprivate func makeContext(
            _ scheme: SignatureScheme, prepare: Prepare
        ) throws(JOSEError) -> OpaquePointer {
            let functions = library.functions
            guard let context = functions.EVP_MD_CTX_new() else { throw library.failure("context") }
            var keyContext: OpaquePointer?
            guard prepare(context, &keyContext, library.digest(scheme.hashFunction), nil, pointer) == 1,
                scheme.options.allSatisfy({ functions.EVP_PKEY_CTX_ctrl_str(keyContext, $0.name, $0.value) == 1 })
            else {
                functions.EVP_MD_CTX_free(context)
                throw library.failure("context")
            }
            return context
        }
    }

    extension SignatureScheme {
        fileprivate var hashFunction: HashFunction? {
            switch self {
            case .rsaPKCS1(let function), .rsaPSS(let function), .ecdsa(_, let function), .hmac(let function): function
            case .ed25519: nil
            }
        }

        /// Options in libcrypto's words; the order counts.
        fileprivate var options: [(name: String, value: String)] {
            if case .rsaPSS = self { [("rsa_padding_mode", "pss"), ("rsa_pss_saltlen", "digest")] } else { [] }
        }

        /// JOSE's form to libcrypto's; nil for an ECDSA signature of the wrong length.
        fileprivate func encoded(_ signature: [UInt8]) -> [UInt8]? {
            guard case .ecdsa(let curve, _) = self else { return signature }
            return ECDSASignature.der(raw: signature, length: curve.coordinateLength)
        }

        /// libcrypto's form to JOSE's.
        fileprivate func decoded(_ signature: [UInt8]) -> [UInt8]? {
            guard case .ecdsa(let curve, _) = self else { return signature }
            return ECDSASignature.raw(der: signature, length: curve.coordinateLength)
        }
    }
#endif
