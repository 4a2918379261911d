#if os(Linux)
    import Foundation
    import Testing

    /// A TLS server in Python that answers one request of its first connection, reads another and closes; later
    /// connections get another certificate. As a proxy it is behind its first CONNECT, and refuses later ones.
    final class ChangingTLSServer {
        private static let python = "/usr/bin/python3"
        static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: python) }

        let url: String
        private let process: Program

        /// - Parameter certificates: The servers whose certificates are shown, the first connection's first.
        init(_ certificates: TLSServer..., isProxy: Bool = false) throws {
            process = try Program(
                Self.python,
                ["-c", Self.script, "\(isProxy)"] + certificates.flatMap { [$0.certificate, $0.key] })
            let port = try #require(Int(process.read().trimmingCharacters(in: .whitespacesAndNewlines)))
            url = "\(isProxy ? "http" : "https")://127.0.0.1:\(port)"
        }

        /// Ends the server and returns the first lines of the requests that it read.
        func finish() -> [String] {
            defer { process.terminate() }
            return process.read().split(separator: "\n").map(String.init)
        }

        /// Prints its port, and later the first line of each request.
        private static let script = """
            import socket, ssl, sys

            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)

            def request(connection):
                text = b""
                while b"\\r\\n\\r\\n" not in text:
                    more = connection.recv(65536)
                    if not more: return False
                    text += more
                print(text.split(b"\\r\\n")[0].decode(), flush=True)
                return True

            shown = 2
            while True:
                connection, _ = listener.accept()
                if sys.argv[1] == "true":
                    request(connection)
                    refusal = b"503 Service Unavailable\\r\\nContent-Length: 0"
                    status = b"200 OK" if shown == 2 else refusal
                    connection.sendall(b"HTTP/1.1 " + status + b"\\r\\n\\r\\n")
                    if status == refusal:
                        connection.close()
                        continue
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[shown], sys.argv[shown + 1])
                shown = 4
                try:
                    with context.wrap_socket(connection, server_side=True) as connection:
                        if request(connection):
                            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
                            request(connection)
                except OSError: pass
            """
    }
#endif
