#if os(Linux)
    import CAuthStateCrypto

    extension OpenSSLBackend {
        package func seal(
            _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            let cipher = try OpenSSLCipher(key: key, nonce: nonce, encrypts: true)
            let ciphertext = try cipher.process(message, authenticating: data)
            return try ciphertext + cipher.finishSealing()
        }

        package func open(
            _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            guard sealed.count >= AES256GCM.tagLength else { throw AES256GCM.refusal }
            let cipher = try OpenSSLCipher(key: key, nonce: nonce, encrypts: false)
            // Not released before the tag has been checked.
            let message = try cipher.process(sealed.dropLast(AES256GCM.tagLength), authenticating: data)
            try cipher.finishOpening(tag: sealed.suffix(AES256GCM.tagLength))
            return message
        }
    }

    /// One message in progress through AES-256-GCM; its context is freed with the value.
    private struct OpenSSLCipher: ~Copyable {
        private let context: OpaquePointer
        private let library: LibCrypto

        init(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(JOSEError) {
            try AES256GCM.check(key: key, nonce: nonce)
            let library = try LibCrypto.get()
            let functions = library.functions
            guard let context = functions.EVP_CIPHER_CTX_new() else { throw library.failure("context") }
            guard functions.EVP_CipherInit_ex(context, library.aes256GCM, nil, key, nonce, encrypts ? 1 : 0) == 1 else {
                functions.EVP_CIPHER_CTX_free(context)
                throw library.failure("cipher")
            }
            self.context = context
            self.library = library
        }

        deinit { library.functions.EVP_CIPHER_CTX_free(context) }

        /// Processes the associated data, then encrypts or decrypts the message.
        func process(_ message: some Collection<UInt8>, authenticating data: [UInt8]) throws(JOSEError) -> [UInt8] {
            let input = Array(message)
            guard let length = Int32(exactly: input.count), let dataLength = Int32(exactly: data.count) else {
                throw JOSEError(.malformed, "a message is too long")
            }
            var output = [UInt8](repeating: 0, count: input.count)
            var written: Int32 = 0
            guard library.functions.EVP_CipherUpdate(context, nil, &written, data, dataLength) == 1,
                library.functions.EVP_CipherUpdate(context, &output, &written, input, length) == 1, written == length
            else { throw library.failure("cipher") }
            return output
        }

        /// The tag of the encrypted message.
        func finishSealing() throws(JOSEError) -> [UInt8] {
            var tag = [UInt8](repeating: 0, count: AES256GCM.tagLength)
            let code = Int32(AuthStateCrypto_EVP_CTRL_AEAD_GET_TAG)
            guard finish(), library.functions.EVP_CIPHER_CTX_ctrl(context, code, Int32(tag.count), &tag) == 1 else {
                throw library.failure("cipher")
            }
            return tag
        }

        /// Throws unless the tag is that of the decrypted message.
        func finishOpening(tag: some Collection<UInt8>) throws(JOSEError) {
            var tag = Array(tag)
            let code = Int32(AuthStateCrypto_EVP_CTRL_AEAD_SET_TAG)
            guard library.functions.EVP_CIPHER_CTX_ctrl(context, code, Int32(tag.count), &tag) == 1 else {
                throw library.failure("cipher")
            }
            guard finish() else {
                library.functions.ERR_clear_error()
                throw AES256GCM.refusal
            }
        }

        /// Ends the message; this mode has no bytes left over, but the library wants a place for them.
        private func finish() -> Bool {
            var rest = [UInt8](repeating: 0, count: 16)
            var written: Int32 = 0
            return library.functions.EVP_CipherFinal_ex(context, &rest, &written) == 1
        }
    }
#endif
