#if os(Linux)
    import CAuthStateCrypto

    /// Cryptography by OpenSSL 3's libcrypto, which is opened at run time: nothing is linked.
    ///
    /// When it is missing, every operation throws ``JOSEError`` with `backendUnavailable`, which names the package.
    package struct OpenSSLBackend: CryptoBackend {
        package init() {}

        package func digest(_ function: SHA2.Function, of bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
            let library = try LibCrypto.get()
            var output = [UInt8](repeating: 0, count: function.digestLength)
            guard library.functions.EVP_Digest(bytes, bytes.count, &output, nil, library.digest(function), nil) == 1
            else { throw library.failure("digest") }
            return output
        }

        package func authenticationCode(
            _ function: SHA2.Function, key: [UInt8], of bytes: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            let library = try LibCrypto.get()
            guard let keyLength = Int32(exactly: key.count) else { throw JOSEError(.malformed, "a key is too long") }
            var output = [UInt8](repeating: 0, count: function.digestLength)
            let result = library.functions.HMAC(
                library.digest(function), key, keyLength, bytes, bytes.count, &output, nil)
            guard result != nil else { throw library.failure("HMAC") }
            return output
        }

        package func verifier(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureVerifier {
            let key = try OpenSSLKey(publicKey: key, library: LibCrypto.get())
            guard scheme.hashFunction != nil else { return OpenSSLMessageVerifier(key: key) }
            return try OpenSSLDigestVerifier(scheme: scheme, key: key)
        }

        package func signer(_ scheme: SignatureScheme, key: JSONWebKey) throws(JOSEError) -> any SignatureSigner {
            guard let der = key.privateKeyDER else { throw JOSEError(.keyMismatch, "the key is not private") }
            let imported = try OpenSSLKey(privateKeyDER: der, library: LibCrypto.get())
            guard try imported.publicMaterial() == key.material else {
                throw JOSEError(.malformed, "the key's public and private parts do not belong together")
            }
            return OpenSSLSigner(scheme: scheme, key: imported)
        }

        package func generateKey(for scheme: SignatureScheme) throws(JOSEError) -> JSONWebKey {
            try OpenSSLKey(generatingFor: scheme, library: LibCrypto.get()).export()
        }

        package func privateKey(der: [UInt8]) throws(JOSEError) -> JSONWebKey {
            let key = try OpenSSLKey(privateKeyDER: der, library: LibCrypto.get()).export()
            // The same checks as for a key that came as JSON: lengths above all.
            return try JSONWebKey(json: key.privateJSON)
        }
    }
#endif
