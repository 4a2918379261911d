import AuthStateKit

extension Settings {
    /// The platform's transport, with the settings applied.
    var transport: any HTTPTransport {
        #if os(Linux)
            let certificate = clientCertificateFile.flatMap { file in
                clientCertificateKeyFile.map {
                    CurlTransport.ClientCertificate(certificateFile: file, keyFile: $0)
                }
            }
            // As many as the proxy serves: requests that the API leaves waiting hold up no others.
            return CurlTransport(
                configuration: .init(
                    certificateAuthorityFile: certificateAuthorityFile, clientCertificate: certificate,
                    maximumConnectionsPerHost: 400))
        #else
            return SystemTransport.system(certificateAuthorityFile: certificateAuthorityFile)
        #endif
    }
}
