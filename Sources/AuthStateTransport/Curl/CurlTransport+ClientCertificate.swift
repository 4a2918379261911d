#if os(Linux)
    import AuthStateFoundation
    import AuthStateSystem
    import AuthStateOAuth

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
        /// Reads both files, so that a fault in them is reported before the first connection.
        ///
        /// - Throws: `TransportError` with `.clientCertificate`.
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
