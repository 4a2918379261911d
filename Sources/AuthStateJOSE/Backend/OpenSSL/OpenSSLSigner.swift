#if os(Linux)
    import CAuthStateCrypto

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
