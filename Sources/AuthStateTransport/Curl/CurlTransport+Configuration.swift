#if os(Linux)
    import AuthStateFoundation
    import AuthStateOAuth
    import AuthStateSystem

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
            /// The most connections to one host; further requests wait for a free one, which counts as part of their time.
            public var maximumConnectionsPerHost: Int
            /// The time that an unused connection is kept for the next request.
            public var idleTimeout: Duration
            /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are honoured.
            ///
            /// Never for this machine (127.0.0.0/8, `::1`, `localhost` and names under it). For a request whose `addressPolicy` is
            /// strict, only where the proxy resolves names (http, https, socks4a, socks5h) and the request is https: what the
            /// host's text tells is checked, and the proxy decides where the name leads. Such a request by http uses none.
            public var usesProxyFromEnvironment: Bool

            /// Makes a configuration.
            public init(
                certificateAuthorityFile: String? = nil, clientCertificate: ClientCertificate? = nil,
                connectTimeout: Duration = .seconds(10), maximumConnectionsPerHost: Int = 8,
                idleTimeout: Duration = .seconds(60), usesProxyFromEnvironment: Bool = true
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

    extension CurlTransport {
        /// A client's certificate for mutual TLS (RFC 8705, section 2); both files are read for every new connection.
        public struct ClientCertificate: Sendable, Hashable {
            /// A PEM file with the certificate, and those of authorities between it and the provider's after it.
            public var certificateFile: String
            /// A PEM file with the private key, not encrypted, that only its owner can read.
            public var keyFile: String

            /// Names both files; `~/` is the home folder.
            public init(certificateFile: String, keyFile: String) {
                self.certificateFile = HomeFolder.expanded(certificateFile)
                self.keyFile = HomeFolder.expanded(keyFile)
            }
        }
    }

    extension CurlTransport.ClientCertificate {
        /// Reads both files, so that a fault is reported before the first connection; throws `.clientCertificate`.
        func check() throws {
            let certificate = try? Data(contentsOf: URL(fileURLWithPath: certificateFile))
            guard let certificate, String(decoding: certificate, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
            else {
                throw TransportError(
                    .clientCertificate,
                    "The file of the client's certificate cannot be read or holds none: \(certificateFile.printable()).",
                    requestMayHaveBeenSent: false)
            }
            do {
                _ = try SecretSource.content(ofFile: keyFile, holding: "the client's private key", stage: .token)
            } catch let error as AuthStateError {
                throw TransportError(.clientCertificate, error.description, requestMayHaveBeenSent: false)
            }
        }
    }
#endif
