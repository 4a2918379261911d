#if os(Linux)
    import AuthStateFoundation
    import CAuthStateCurl

    extension CurlTransport {
        /// The authorities that a transport trusts, its client certificate, and its use of connections.
        public struct Configuration: Sendable, Hashable {
            /// A PEM file of certificate authorities to trust besides the system's; nil trusts the system's alone.
            ///
            /// It is read once, with the first request. Needs libcurl 7.77.
            public var certificateAuthorityFile: String?
            /// The client's certificate and private key, shown to every server that asks for one; nil shows none.
            ///
            /// Give such a transport to the service of that one provider: the certificate identifies the client.
            public var clientCertificate: ClientCertificate?
            /// The time that name look-up, connection and TLS handshake may take together.
            public var connectTimeout: Duration
            /// The most connections to one host; further requests wait for a free one.
            public var maximumConnectionsPerHost: Int
            /// The time that an unused connection is kept for the next request.
            public var idleTimeout: Duration
            /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are honoured.
            ///
            /// Never for this machine (127.0.0.0/8, `::1`, `localhost` and names under it), and never for a request whose
            /// `addressPolicy` is strict: the proxy would resolve the name, out of sight.
            public var usesProxyFromEnvironment: Bool

            /// Makes a configuration.
            ///
            /// - Parameters:
            ///   - certificateAuthorityFile: A PEM file of certificate authorities to trust besides the system's; nil
            ///     trusts those alone.
            ///   - clientCertificate: The client's certificate and private key, shown to every server that asks; nil
            ///     shows none.
            ///   - connectTimeout: The time that name look-up, connection and TLS handshake may take together.
            ///   - maximumConnectionsPerHost: The most connections to one host; further requests wait for a free one.
            ///   - idleTimeout: The time that an unused connection is kept for the next request.
            ///   - usesProxyFromEnvironment: Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are
            ///     honoured.
            public init(
                certificateAuthorityFile: String? = nil,
                clientCertificate: ClientCertificate? = nil,
                connectTimeout: Duration = .seconds(10),
                maximumConnectionsPerHost: Int = 8,
                idleTimeout: Duration = .seconds(60),
                usesProxyFromEnvironment: Bool = true
            ) {
                self.certificateAuthorityFile = certificateAuthorityFile
                self.clientCertificate = clientCertificate
                self.connectTimeout = connectTimeout
                self.maximumConnectionsPerHost = maximumConnectionsPerHost
                self.idleTimeout = idleTimeout
                self.usesProxyFromEnvironment = usesProxyFromEnvironment
            }
        }
    }

    extension CurlTransport.Configuration {
        /// The paths at which distributions keep their authorities, for a libcurl older than 7.84, which does not
        /// report its own.
        private static let systemBundles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ]

        /// Returns the system's authorities and those of the file in one PEM text, because naming a file to libcurl
        /// would replace the system's; nil when no file was named.
        ///
        /// - Throws: `TransportError` with `.insecureConnection` when the file cannot be used.
        func certificateAuthorities() throws -> Data? {
            guard let certificateAuthorityFile else { return nil }
            let extra = try CertificateAuthorities.pem(ofFile: certificateAuthorityFile)
            var all = Self.systemBundle()
            all.append(0x0A)
            all.append(extra)
            return all
        }

        private static func systemBundle() -> Data {
            let easy = AuthStateCurlEasyInit()
            defer { AuthStateCurlEasyCleanup(easy) }
            let own = AuthStateCurlGetPointer(easy, AuthStateCurl_CURLINFO_CAINFO).map {
                String(cString: $0.assumingMemoryBound(to: CChar.self))
            }
            for path in [own].compactMap({ $0 }) + systemBundles {
                if let bundle = try? Data(contentsOf: URL(fileURLWithPath: path)) { return bundle }
            }
            return Data()
        }
    }
#endif
