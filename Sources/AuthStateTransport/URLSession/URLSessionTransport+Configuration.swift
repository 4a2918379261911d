#if canImport(Darwin)
    import AuthStateOAuth
    import Foundation
    public import Security

    extension URLSessionTransport {
        /// The authorities that a transport trusts, its client identity, and its use of connections.
        public struct Configuration: Sendable {
            /// A PEM file of certificate authorities to trust besides the system's; nil trusts the system's alone.
            ///
            /// It is read once. For an app it is a file of the bundle, such as a development server's certificate.
            public var certificateAuthorityFile: String?
            /// The client's certificate and private key, shown to every server that asks for one; nil shows none.
            ///
            /// Give such a transport to the service of that one provider: the certificate identifies the client.
            public var clientIdentity: ClientIdentity?
            /// The most connections to one host; further requests wait for a free one.
            public var maximumConnectionsPerHost: Int

            /// Makes a configuration.
            public init(
                certificateAuthorityFile: String? = nil, clientIdentity: ClientIdentity? = nil,
                maximumConnectionsPerHost: Int = 8
            ) {
                self.certificateAuthorityFile = certificateAuthorityFile
                self.clientIdentity = clientIdentity
                self.maximumConnectionsPerHost = maximumConnectionsPerHost
            }
        }

        // Sendable: Security's objects are immutable references that any thread may use.
        /// A client's certificate for mutual TLS (RFC 8705, section 2), with its private key in the keychain.
        public struct ClientIdentity: @unchecked Sendable {
            /// The certificate and its key, from `SecPKCS12Import` or the keychain.
            public var identity: SecIdentity
            /// The certificates of authorities between it and the one that the server knows.
            public var intermediates: [SecCertificate]

            /// Names both.
            public init(_ identity: SecIdentity, intermediates: [SecCertificate] = []) {
                self.identity = identity
                self.intermediates = intermediates
            }
        }
    }

    extension URLSessionTransport.Configuration {
        /// Returns the file's certificates. Throws `.insecureConnection` when the file cannot be used.
        func certificateAuthorities() throws -> [SecCertificate] {
            guard let certificateAuthorityFile else { return [] }
            return try CertificateAuthorities.certificates(ofFile: certificateAuthorityFile).compactMap {
                SecCertificateCreateWithData(nil, Data($0) as CFData)
            }
        }

        func forSession(usesProxies: Bool) -> URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
            configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
            if !usesProxies { configuration.connectionProxyDictionary = [:] }
            return configuration
        }
    }
#endif
