#if os(Linux)
    import AuthStateOAuth
    import Foundation
    import Testing

    @testable import AuthStateKit

    private let openssl = "/usr/bin/openssl"

    @Suite(
        "libcurl: TLS", .timeLimit(.minutes(1)),
        .enabled(if: FileManager.default.isExecutableFile(atPath: openssl), "needs the openssl command"))
    struct CurlTLSTests {
        @Test("an unknown authority is refused before the request is sent, and trusted when its file is named")
        func unknownAuthority() async throws {
            let server = try TLSServer()
            let refused = try #require(try await failure(CurlTransport(), TransportRequest(server.url)))
            #expect(refused.code == .insecureConnection)
            #expect(!refused.requestMayHaveBeenSent)
            #expect(refused.message.contains("self-signed"))

            let trusting = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
            #expect(try await trusting.send(TransportRequest(server.url)).status == 200)

            let otherName = server.url.replacing("127.0.0.1", with: "localhost")
            #expect(try await failure(trusting, TransportRequest(otherName))?.code == .insecureConnection)
        }

        @Test("a protocol older than TLS 1.2 is refused")
        func oldVersion() async throws {
            let server = try TLSServer("-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
            let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
            let error = try #require(try await failure(transport, TransportRequest(server.url)))
            #expect(error.code == .insecureConnection)
        }

        @Test("the authorities of a file come in addition to the system's")
        func addition() throws {
            try CurlLibrary.open()
            let server = try TLSServer()
            let own = try String(contentsOfFile: server.certificate, encoding: .utf8)
            let configuration = CurlTransport.Configuration(certificateAuthorityFile: server.certificate)
            let all = String(decoding: try #require(try configuration.certificateAuthorities()), as: UTF8.self)
            #expect(all.hasSuffix(own))
            let bundle = "/etc/ssl/certs/ca-certificates.crt"
            if let system = try? String(contentsOfFile: bundle, encoding: .utf8) { #expect(all.hasPrefix(system)) }
        }

        @Test(
            "a file that is missing or holds no certificate is an error", arguments: ["/nowhere/ca.pem", "/etc/passwd"])
        func unusableFile(path: String) async throws {
            let transport = CurlTransport(configuration: .init(certificateAuthorityFile: path))
            let error = try #require(try await failure(transport, TransportRequest("https://127.0.0.1:1/")))
            #expect(error.code == .insecureConnection)
            #expect(error.message.contains(path))
        }
    }

    /// `openssl s_server` with a certificate of its own for 127.0.0.1.
    private final class TLSServer {
        let certificate: String
        let url: String
        private let folder: URL
        private let process: Program

        init(_ arguments: String...) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            certificate = folder.appending(path: "certificate.pem").path
            let key = folder.appending(path: "key.pem").path
            let maker = try Program(
                openssl,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
                ])
            try #require(maker.wait() == 0)
            process = try Program(
                openssl,
                ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + arguments)
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
