import AuthStateKit

extension Settings {
    /// The platform's transport, as the settings want it.
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
