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
#endif
