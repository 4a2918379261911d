@testable import AuthStateTransport

#if os(Linux)
    import Foundation
    import Testing

    @testable import AuthStateKit

    @Suite(.timeLimit(.minutes(5)), .enabled(if: TLSServer.isAvailable, "needs the openssl command"))
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

        @Test("a server that demands a certificate gets the client's, and another one's key is no use")
        func clientCertificate() async throws {
            let server = try TLSServer("-Verify", "1", "-verify_return_error", "-CAfile", "{certificate}")
            func transport(_ client: CurlTransport.ClientCertificate?) -> CurlTransport {
                CurlTransport(
                    configuration: .init(certificateAuthorityFile: server.certificate, clientCertificate: client))
            }
            // The server's own certificate is the one authority that it knows: it does for a client too.
            let good = CurlTransport.ClientCertificate(certificateFile: server.certificate, keyFile: server.key)
            let response = try await transport(good).send(TransportRequest(server.url))
            #expect(response.status == 200)
            let page = String(decoding: response.body, as: UTF8.self)
            #expect(page.contains("Client certificate") && !page.contains("no client certificate"))

            #expect(try await failure(transport(nil), TransportRequest(server.url)) != nil)
            let other = try TLSServer()
            let stranger = CurlTransport.ClientCertificate(certificateFile: other.certificate, keyFile: other.key)
            #expect(try await failure(transport(stranger), TransportRequest(server.url)) != nil)
            let mixed = CurlTransport.ClientCertificate(certificateFile: server.certificate, keyFile: other.key)
            let error = try #require(try await failure(transport(mixed), TransportRequest(server.url)))
            #expect(error.code == .clientCertificate && !error.requestMayHaveBeenSent)
        }

        @Test("a server that wants another certificate of the client is told from one that is not trusted itself")
        func refusedClientCertificate() async throws {
            // Up to TLS 1.2 the client hears of it before it sends anything.
            let server = try TLSServer("-Verify", "1", "-verify_return_error", "-CAfile", "{certificate}", "-tls1_2")
            let other = try TLSServer()
            let stranger = CurlTransport.ClientCertificate(certificateFile: other.certificate, keyFile: other.key)
            let transport = CurlTransport(
                configuration: .init(certificateAuthorityFile: server.certificate, clientCertificate: stranger))
            let refused = try #require(try await failure(transport, TransportRequest(server.url)))
            #expect(refused.code == .clientCertificate && !refused.requestMayHaveBeenSent, "\(refused)")
            #expect(refused.message.contains("127.0.0.1"))
            let error = AuthStateError(refused, stage: .token)
            #expect(error.code == .credentialUnavailable && error.kind == .configuration)
            #expect(error.hint?.contains("certificate") == true)
            let untrusting = CurlTransport(configuration: .init(clientCertificate: stranger))
            #expect(try await failure(untrusting, TransportRequest(server.url))?.code == .insecureConnection)
        }

        @Test("a client's certificate or key that cannot be used is reported before anything is sent")
        func unusableClientCertificate() async throws {
            let server = try TLSServer()
            func message(_ certificate: String, _ key: String) async throws -> String {
                let client = CurlTransport.ClientCertificate(certificateFile: certificate, keyFile: key)
                let transport = CurlTransport(configuration: .init(clientCertificate: client))
                let error = try #require(try await failure(transport, TransportRequest("https://127.0.0.1:1/")))
                #expect(error.code == .clientCertificate)
                return error.message
            }
            #expect(try await message("/nowhere/client.pem", server.key).contains("/nowhere/client.pem"))
            #expect(try await message(server.key, server.key).contains("holds none"))
            #expect(try await message(server.certificate, "/nowhere/client.key").contains("/nowhere/client.key"))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: server.key)
            #expect(try await message(server.certificate, server.key).contains("0600"))
        }

        @Test("a protocol older than TLS 1.2 is refused", arguments: ["-tls1", "-tls1_1"])
        func oldVersion(_ version: String) async throws {
            let server = try TLSServer(version, "-cipher", "DEFAULT:@SECLEVEL=0")
            let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
            let error = try #require(try await failure(transport, TransportRequest(server.url)))
            #expect(error.code == .insecureConnection && !error.requestMayHaveBeenSent)
        }

        @Test("the authorities of a file come in addition to the system's")
        func addition() throws {
            try CurlLibrary.open()
            let server = try TLSServer()
            let own = try Data(contentsOf: URL(fileURLWithPath: server.certificate))
            var authorities = CurlAuthorities(own: own)
            let text = authorities.all
            let all = try #require(text)
            #expect(all.suffix(own.count) == own)
            #expect(all.starts(with: CurlAuthorities.systemBundle()))
            var alone = CurlAuthorities(own: nil)
            #expect(alone.all == nil, "libcurl looks for the system's by itself")
            let bundle = "/etc/ssl/certs/ca-certificates.crt"
            if let system = try? Data(contentsOf: URL(fileURLWithPath: bundle)) { #expect(all.starts(with: system)) }
        }

        @Test(
            "a POST that a dead connection took is not sent again when the next server has an unknown authority",
            .enabled(if: ChangingTLSServer.isAvailable, "needs the program python3"))
        func changedAuthority() async throws {
            let (trusted, stranger) = (try TLSServer(), try TLSServer())
            let server = try ChangingTLSServer(trusted, stranger)
            let transport = CurlTransport(configuration: .init(certificateAuthorityFile: trusted.certificate))
            _ = try await transport.send(TransportRequest(server.url + "/first"))
            let request = try TransportRequest(server.url + "/token", method: .post, body: "x")
            let error = try #require(try await failure(transport, request))
            #expect(error.code == .connectionLost && error.requestMayHaveBeenSent, "\(error)")
            #expect(error.message.contains("self-signed"), "\(error)")
            #expect(server.finish() == ["GET /first HTTP/1.1", "POST /token HTTP/1.1"])
        }

        @Test func `a folder of authorities under the hashes of their names is told from any other folder`() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            func add(_ name: String) throws { try Data().write(to: folder.appendingPathComponent(name)) }
            for name in ["ca-certificates.crt", "GlobalSign_Root_R46.pem", "abcdefgh.0", "0123abcd", "0123ABCD.0"] {
                try add(name)
            }
            #expect(!CurlAuthorities.isHashed(folder.path))
            #expect(!CurlAuthorities.isHashed(folder.path + "/none"))
            try add("0123abcd.0")
            #expect(CurlAuthorities.isHashed(folder.path))
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
#endif
