#if os(Linux)
    import AsyncHTTPClient
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import Foundation
    import NIOSSL
    import Testing

    @Suite(
        .timeLimit(.minutes(5)),
        .enabled(if: TLSServer.isAvailable, "needs the openssl command"))
    struct TLSTests {
        @Test(
            "a protocol older than TLS 1.2 is refused, even if the configuration allows it",
            arguments: ["-tls1", "-tls1_1"])
        func oldVersion(_ version: String) async throws {
            let server = try TLSServer(version, "-cipher", "DEFAULT:@SECLEVEL=0")
            for minimum in [TLSVersion.tlsv1, .tlsv11, nil] {
                let error = try #require(try await answer(of: server, minimum: minimum).error)
                #expect(error.code == .insecureConnection && !error.requestMayHaveBeenSent, "\(error)")
            }
        }

        @Test("TLS 1.2 and 1.3 are spoken, and a configuration that asks for more is left alone")
        func newVersion() async throws {
            #expect(try await answer(of: TLSServer("-tls1_2"), minimum: nil).status == 200)
            #expect(try await answer(of: TLSServer("-tls1_3"), minimum: nil).status == 200)
            #expect(try await answer(of: TLSServer("-tls1_2"), minimum: .tlsv13).error?.code == .insecureConnection)
        }

        private func answer(
            of server: TLSServer, minimum: TLSVersion?
        ) async throws -> (status: Int?, error: TransportError?) {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(server.certificate)
            if let minimum { tls.minimumTLSVersion = minimum }
            let transport = AsyncHTTPClientTransport(configuration: .init(tlsConfiguration: tls))
            do {
                return (try await transport.send(TransportRequest(server.url)).status, nil)
            } catch let error as TransportError {
                return (nil, error)
            }
        }
    }
#endif
