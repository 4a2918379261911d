#if os(Linux)
    import CAuthStateCrypto

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
        /// The function that makes the digest which is signed; nil when the scheme takes messages whole.
        var hashFunction: SHA2.Function? {
            switch self {
            case .rsaPKCS1(let function), .rsaPSS(let function), .ecdsa(_, let function), .hmac(let function): function
            case .ed25519: nil
            }
        }

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
