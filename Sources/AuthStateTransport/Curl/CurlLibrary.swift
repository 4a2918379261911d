#if os(Linux)
    import AuthStateJOSE
    import CAuthStateCurl

    enum CurlLibrary {
        private static let isOpen = Lock(false)

        /// Opens the library unless that was done before; a failure is not kept.
        ///
        /// - Throws: `TransportError` with `.libraryUnavailable`, or `.unreachable` when no descriptor is left.
        static func open() throws {
            try isOpen.withLock { isOpen in
                if !isOpen { try load() }
                isOpen = true
            }
        }

        private static func load() throws {
            // AuthStateJOSE opens libcrypto so that it stays whole until the process is gone; libcurl's own call, if it came
            // first, would let it be torn down at exit under the thread that talks TLS. It is ready for others while libcurl is loaded.
            _ = try? OpenSSLBackend().digest(.sha256, of: [])
            if let missing = AuthStateCurlLoad() {
                // Without a descriptor the library looks missing, too.
                _ = try CurlMailbox()
                let name = String(cString: missing)
                let message =
                    name.hasPrefix("lib")
                    ? "\(name) was not found: install libcurl (Debian and Ubuntu: libcurl4; Fedora: libcurl)."
                    : "libcurl is too old, it lacks \(name): install 7.66 or newer (Debian and Ubuntu: libcurl4)."
                throw TransportError(.libraryUnavailable, message, requestMayHaveBeenSent: false)
            }
            guard AuthStateCurlGlobalInit() == AuthStateCurl_CURLE_OK else {
                let message = "libcurl (Debian and Ubuntu: libcurl4) could not set itself up."
                throw TransportError(.libraryUnavailable, message, requestMayHaveBeenSent: false)
            }
        }
    }
#endif
