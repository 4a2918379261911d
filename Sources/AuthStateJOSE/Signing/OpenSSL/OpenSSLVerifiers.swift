#if os(Linux)
    internal import CAuthStateCrypto

    /// Verifies RSA and ECDSA: the message's digest first, then the signature over it.
    ///
    /// Preparing a context costs as much as a tenth of a verification, so those that did their work are kept.
    final class OpenSSLDigestVerifier: SignatureVerifier {
        private let scheme: SignatureScheme
        private let key: OpenSSLKey
        private let function: HashFunction
        private let idle = Lock<[VerificationContext]>([])

        /// The first context is made here, so that a key that cannot verify is refused when it is imported.
        init(scheme: SignatureScheme, function: HashFunction, key: OpenSSLKey) throws(JOSEError) {
            self.scheme = scheme
            self.key = key
            self.function = function
            let context = try key.makeVerificationContext(scheme)
            idle.withLock { $0 = [context] }
        }

        deinit {
            for context in idle.withLock({ $0 }) { key.library.functions.EVP_PKEY_CTX_free(context.pointer) }
        }

        func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
            let digest = try key.library.digest(function, of: message)
            let signature = scheme.encoded(signature)
            let context: VerificationContext
            if let kept = idle.withLock({ $0.popLast() }) {
                context = kept
            } else {
                context = try key.makeVerificationContext(scheme)
            }
            let functions = key.library.functions
            guard functions.EVP_PKEY_verify(context.pointer, signature, signature.count, digest, digest.count) == 1
            else {
                // What a failure leaves behind in a context is not documented.
                functions.EVP_PKEY_CTX_free(context.pointer)
                functions.ERR_clear_error()
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

    /// A context that is prepared for verifying with one key.
    ///
    // Unchecked: whoever takes it out of the verifier's list has it alone until it is put back, under the list's lock.
    struct VerificationContext: @unchecked Sendable {
        let pointer: OpaquePointer
    }
#endif
