#if os(Linux)
    import CAuthStateCrypto

    /// An `EVP_PKEY`, freed with the object.
    ///
    /// Unchecked: nothing changes the key after the initialiser, and libcrypto allows any thread to use such a key; its
    /// reference count and its inner caches are guarded by the library.
    final class OpenSSLKey: @unchecked Sendable {
        let pointer: OpaquePointer
        let library: LibCrypto

        private init(_ pointer: OpaquePointer, library: LibCrypto) {
            self.pointer = pointer
            self.library = library
        }

        deinit { library.functions.EVP_PKEY_free(pointer) }

        /// Imports the public part of a key; a point that is not on its curve is refused here.
        convenience init(publicKey: JSONWebKey, library: LibCrypto) throws(JOSEError) {
            let pointer = publicKey.subjectPublicKeyInfo?.withUnsafeBufferPointer { der in
                var start = der.baseAddress
                return library.functions.d2i_PUBKEY(nil, &start, der.count)
            }
            guard let pointer else {
                library.functions.ERR_clear_error()
                throw JOSEError(.malformed, "the public key cannot be imported", received: publicKey.keyType)
            }
            self.init(pointer, library: library)
        }

        /// Imports a private key from PKCS #8, PKCS #1 or SEC 1.
        convenience init(privateKeyDER der: [UInt8], library: LibCrypto) throws(JOSEError) {
            let pointer = der.withUnsafeBufferPointer { der in
                var start = der.baseAddress
                return library.functions.d2i_AutoPrivateKey(nil, &start, der.count)
            }
            guard let pointer else {
                library.functions.ERR_clear_error()
                throw JOSEError(.malformed, "the private key cannot be imported")
            }
            self.init(pointer, library: library)
        }

        convenience init(generatingFor scheme: SignatureScheme, library: LibCrypto) throws(JOSEError) {
            let (type, options) = try Self.generation(of: scheme)
            let functions = library.functions
            guard let context = functions.EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
                throw library.failure("key generation")
            }
            defer { functions.EVP_PKEY_CTX_free(context) }
            var pointer: OpaquePointer?
            guard functions.EVP_PKEY_keygen_init(context) == 1,
                options.allSatisfy({ functions.EVP_PKEY_CTX_ctrl_str(context, $0.key, $0.value) == 1 }),
                functions.EVP_PKEY_keygen(context, &pointer) == 1, let pointer
            else { throw library.failure("key generation") }
            self.init(pointer, library: library)
        }

        private static func generation(
            of scheme: SignatureScheme
        ) throws(JOSEError) -> (type: String, options: [String: String]) {
            switch scheme {
            case .rsaPKCS1, .rsaPSS: ("RSA", ["rsa_keygen_bits": "2048"])
            case .ecdsa(let curve, _): ("EC", ["ec_paramgen_curve": curve.rawValue])
            case .ed25519: ("ED25519", [:])
            case .hmac: throw JOSEError(.unsupportedAlgorithm, "a symmetric key is random bytes")
            }
        }

        func publicMaterial() throws(JOSEError) -> KeyMaterial {
            guard let der = encoded(library.functions.i2d_PUBKEY),
                let material = JSONWebKey.material(subjectPublicKeyInfo: der)
            else { throw JOSEError(.unsupportedAlgorithm, "the key's type or curve is unknown") }
            return material
        }

        func export() throws(JOSEError) -> JSONWebKey {
            let material = try publicMaterial()
            let privateMaterial: PrivateKeyMaterial?
            if case .ed25519 = material {
                privateMaterial = rawPrivateKey().map { .scalar(SecretBytes($0)) }
            } else {
                privateMaterial = encoded(library.functions.i2d_PrivateKey).flatMap {
                    JSONWebKey.privateMaterial(of: material, der: $0)
                }
            }
            guard let privateMaterial else { throw library.failure("key export") }
            return JSONWebKey(material, privateMaterial: privateMaterial)
        }

        private func rawPrivateKey() -> [UInt8]? {
            var length = 32
            var output = [UInt8](repeating: 0, count: length)
            guard library.functions.EVP_PKEY_get_raw_private_key(pointer, &output, &length) == 1, length == 32 else {
                return nil
            }
            return output
        }

        /// The DER form that one of the `i2d` functions writes: first its length is asked, then its bytes.
        private func encoded(
            _ encode: @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        ) -> [UInt8]? {
            let length = Int(encode(pointer, nil))
            guard length > 0 else { return nil }
            return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                var start = buffer.baseAddress
                count = max(0, Int(encode(pointer, &start)))
            }
        }
    }

    extension OpenSSLKey {
        typealias Prepare =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
            ) -> Int32

        /// A context that digests a message and signs or verifies it with this key, once; the caller frees it.
        func makeMessageContext(_ scheme: SignatureScheme, prepare: Prepare) throws(JOSEError) -> OpaquePointer {
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
        /// Options in libcrypto's words; the order counts.
        var options: [(name: String, value: String)] {
            if case .rsaPSS = self { [("rsa_padding_mode", "pss"), ("rsa_pss_saltlen", "digest")] } else { [] }
        }

        /// JOSE's form to libcrypto's.
        func encoded(_ signature: [UInt8]) -> [UInt8] {
            if case .ecdsa = self { ECDSASignature.der(raw: signature) } else { signature }
        }

        /// libcrypto's form to JOSE's; nil when it is broken.
        func decoded(_ signature: [UInt8]) -> [UInt8]? {
            guard case .ecdsa(let curve, _) = self else { return signature }
            return ECDSASignature.raw(der: signature, length: curve.coordinateLength)
        }
    }
#endif
