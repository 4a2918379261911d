import AuthStateKit

extension Settings {
    /// The platform's transport, with the settings applied.
    var transport: any HTTPTransport {
        #if os(Linux)
            if let certificate = clientCertificateFile, let key = clientCertificateKeyFile {
                return CurlTransport(
                    configuration: .init(
                        certificateAuthorityFile: certificateAuthorityFile,
                        clientCertificate: .init(certificateFile: certificate, keyFile: key)))
            }
        #endif
        return SystemTransport.system(certificateAuthorityFile: certificateAuthorityFile)
    }
}
