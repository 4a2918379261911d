#if os(Linux)
    import CAuthStateCrypto

    /// libcrypto's functions, found in the running process.
    ///
    /// Unchecked: the imported struct of C function pointers is written once, before the value is shared, and the
    /// fetched objects are immutable, with an atomic reference count, and are kept for the life of the process.
    struct LibCrypto: @unchecked Sendable {
        let functions: AuthStateCryptoFunctions
        let aes256GCM: OpaquePointer
        private let digests: [SHA2.Function: OpaquePointer]

        /// The library, opened on first use.
        private static let first = open()
        /// The library after a failure, which is not kept.
        private static let later = Lock(first)

        /// The library; throws `backendUnavailable` when it cannot be used.
        static func get() throws(JOSEError) -> LibCrypto {
            if case .success(let library) = first { return library }
            let opened = later.withLock { opened in
                if case .failure = opened { opened = open() }
                return opened
            }
            return try opened.get()
        }

        private static func open() -> Result<LibCrypto, JOSEError> {
            do throws(JOSEError) {
                return .success(try LibCrypto(opening: "libcrypto.so.3"))
            } catch {
                return .failure(error)
            }
        }

        init(opening library: String) throws(JOSEError) {
            var functions = AuthStateCryptoFunctions()
            // The name of the missing symbol can be the library's: it is copied while the library is still loaded.
            let missing = library.withCString { name in AuthStateCryptoLoad(name, &functions).map(String.init(cString:))
            }
            if let missing {
                throw JOSEError(
                    .backendUnavailable,
                    "OpenSSL 3's libcrypto cannot be used: install the package libssl3 (Debian, Ubuntu)",
                    expected: library, received: "\(missing) is missing")
            }
            var digests: [SHA2.Function: OpaquePointer] = [:]
            for function in SHA2.Function.allCases {
                guard let digest = functions.EVP_MD_fetch(nil, function.openSSLName, nil) else {
                    throw JOSEError(.backendUnavailable, "libcrypto has no \(function.openSSLName)")
                }
                digests[function] = digest
            }
            guard let cipher = functions.EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
                throw JOSEError(.backendUnavailable, "libcrypto has no AES-256-GCM")
            }
            self.functions = functions
            self.digests = digests
            aes256GCM = cipher
        }

        /// The fetched function; nil for schemes that hash by themselves.
        func digest(_ function: SHA2.Function?) -> OpaquePointer? { function.flatMap { digests[$0] } }

        /// The error of an operation that fails only when memory or the library itself does.
        func failure(_ operation: String) -> JOSEError {
            functions.ERR_clear_error()
            return JOSEError(.backendUnavailable, "libcrypto failed: \(operation)")
        }
    }

    extension SHA2.Function {
        fileprivate var openSSLName: String {
            switch self {
            case .sha256: "SHA2-256"
            case .sha384: "SHA2-384"
            case .sha512: "SHA2-512"
            }
        }
    }
#endif
