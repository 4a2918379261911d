#if os(Linux)
    import CAuthStateCrypto

    /// The libcrypto context to digest messages and verify signatures over the digests, one after the other.
    ///
    /// Unchecked: a caller that takes it from the verifier's list uses it alone until it puts it back, under the list's
    /// lock.
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
#endif
