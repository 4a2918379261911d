#if os(Linux)
    import Foundation
    import Testing

    /// `openssl s_server` with a certificate of its own for 127.0.0.1 and op.example.
    final class TLSServer {
        private static let openssl = "/usr/bin/openssl"
        static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: openssl) }

        let certificate: String
        let key: String
        let url: String
        private let folder: URL
        private let process: Program

        init(_ arguments: String...) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            certificate = folder.appending(path: "certificate.pem").path
            key = folder.appending(path: "key.pem").path
            let maker = try Program(
                Self.openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:op.example", "-keyout", key,
                    "-out", certificate,
                ])
            try #require(maker.wait() == 0)
            process = try Program(
                Self.openssl,
                ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key]
                    + arguments.map { [certificate] in $0 == "{certificate}" ? certificate : $0 })
            // It prints "ACCEPT 127.0.0.1:PORT".
            var text = ""
            while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
                let more = process.read()
                guard !more.isEmpty else { break }
                text += more
            }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
            url = "https://" + line.dropFirst("ACCEPT ".count)
        }

        deinit {
            process.terminate()
            try? FileManager.default.removeItem(at: folder)
        }
    }
#endif
