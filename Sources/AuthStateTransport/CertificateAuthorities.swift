import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// A file of certificate authorities that are trusted besides the system's.
enum CertificateAuthorities {
    /// Returns the file's text; throws `TransportError` with `.insecureConnection` when the file cannot be used.
    static func pem(ofFile path: String) throws -> Data {
        let file = URL(fileURLWithPath: HomeFolder.expanded(path))
        guard let text = try? Data(contentsOf: file), !certificates(in: text).isEmpty else {
            let message =
                "The file of certificate authorities cannot be read or holds no PEM certificate: \(path.printable())."
            throw TransportError(.insecureConnection, message, requestMayHaveBeenSent: false)
        }
        return text
    }

    /// Returns the file's certificates, as DER. Throws `.insecureConnection` when the file cannot be used.
    static func certificates(ofFile path: String) throws -> [[UInt8]] { certificates(in: try pem(ofFile: path)) }

    private static func certificates(in text: Data) -> [[UInt8]] {
        Certificate.all(inPEM: String(decoding: text, as: UTF8.self))
    }
}
