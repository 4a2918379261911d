#if os(Linux)
    import CAuthStateCrypto

    /// Verifies RSA and ECDSA: the message's digest first, then the signature over it.
    ///
    /// Preparing a context takes a large part of a verification, so contexts that worked are kept.
    final class OpenSSLDigestVerifier: SignatureVerifier {
        private let scheme: SignatureScheme
        private let key: OpenSSLKey
        private let idle: Lock<[VerificationContext]>

        /// The first context is made here, so that a key that cannot verify is refused when it is imported.
        init(scheme: SignatureScheme, key: OpenSSLKey) throws(JOSEError) {
            self.scheme = scheme
            self.key = key
            idle = Lock([try VerificationContext(scheme, key: key)])
        }

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            let context: VerificationContext
            if let kept = idle.withLock({ $0.popLast() }) {
                context = kept
            } else {
                context = try VerificationContext(scheme, key: key)
            }
            guard context.isValid(scheme.encoded(signature), for: message) else {
                // The state of a context after a failure is not documented: it is not kept.
                key.library.functions.ERR_clear_error()
                return false
            }
            idle.withLock { $0.append(context) }
            return true
        }
    }

    /// Verifies Ed25519, which takes the message whole (RFC 8032, section 5.1.7); a context for each signature.
    struct OpenSSLMessageVerifier: SignatureVerifier {
        let key: OpenSSLKey

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            let functions = key.library.functions
            let context = try key.makeMessageContext(.ed25519, prepare: functions.EVP_DigestVerifyInit)
            defer { functions.EVP_MD_CTX_free(context) }
            let result = functions.EVP_DigestVerify(context, signature, signature.count, message, message.count)
            if result != 1 { functions.ERR_clear_error() }
            return result == 1
        }
    }

    /// The libcrypto context to digest messages and verify signatures over the digests, one after the other.
    ///
    /// Unchecked: a caller that takes it from the verifier's list, under a lock, uses it alone until it puts it back.
    final class VerificationContext: @unchecked Sendable {
        private let library: LibCrypto
        private let digest: OpaquePointer
        private let verification: OpaquePointer

        init(_ scheme: SignatureScheme, key: OpenSSLKey) throws(JOSEError) {
            library = key.library
            let functions = library.functions
            guard let digest = functions.EVP_MD_CTX_new() else { throw library.failure("context") }
            guard let verification = functions.EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
                functions.EVP_MD_CTX_free(digest)
                throw library.failure("context")
            }
            (self.digest, self.verification) = (digest, verification)
            let function = library.digest(scheme.hashFunction)
            guard functions.EVP_DigestInit_ex(digest, function, nil) == 1,
                functions.EVP_PKEY_verify_init(verification) == 1,
                functions.EVP_PKEY_CTX_set_signature_md(verification, function) == 1,
                scheme.options.allSatisfy({ functions.EVP_PKEY_CTX_ctrl_str(verification, $0.name, $0.value) == 1 })
            else { throw library.failure("context") }
        }

        deinit {
            library.functions.EVP_PKEY_CTX_free(verification)
            library.functions.EVP_MD_CTX_free(digest)
        }

        /// Whether a signature in libcrypto's form is the key's over the message; false also when libcrypto fails.
        func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
            let functions = library.functions
            // The longest digest is that of SHA-512.
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { hash in
                var length: UInt32 = 0
                return functions.EVP_DigestInit_ex(digest, nil, nil) == 1
                    && functions.EVP_DigestUpdate(digest, message, message.count) == 1
                    && functions.EVP_DigestFinal_ex(digest, hash.baseAddress, &length) == 1
                    && functions.EVP_PKEY_verify(
                        verification, signature, signature.count, hash.baseAddress, Int(length)) == 1
            }
        }
    }

    /// Signs; a context for each signature.
    struct OpenSSLSigner: SignatureSigner {
        let scheme: SignatureScheme
        let key: OpenSSLKey

        func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
            let functions = key.library.functions
            let context = try key.makeMessageContext(scheme, prepare: functions.EVP_DigestSignInit)
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
#endif
