import AuthStateKit
import Foundation

/// Serves the page at every path, as a host of files does: no header protects anything.
final class PageHost: Sendable {
    /// The page of Examples/RedirectPage.
    static let page = try? String(
        contentsOf: URL(fileURLWithPath: #filePath).appending(path: "../../../../Examples/RedirectPage/index.html")
            .standardized, encoding: .utf8)
    /// A page that shows it in a frame.
    static let frame = "/frame"
    /// The app's address in the page's set-up.
    static let app = "com.example.app:/oauth/callback"

    /// `http://127.0.0.1:PORT`
    let origin: String
    private let program: Program
    private let folder: TemporaryFolder

    init(_ html: String, port: Int = 0) async throws {
        folder = try TemporaryFolder()
        let file = try folder.file("index.html", containing: html)
        program = try Program.start([LoginBrowser.python, "-c", Self.server, file, "\(port)", Self.frame])
        guard let line = try await program.firstLine() else {
            throw NotInTime(description: "The host did not start: \(program.errors)")
        }
        origin = line
    }

    deinit { program.kill() }

    private static let server = """
        import http.server, sys
        page = open(sys.argv[1], "rb").read()
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                path, _, query = self.path.partition("?")
                framed = f"<iframe src='/callback?{query}'></iframe>".encode()
                body = framed if path == sys.argv[3] else page
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
        """
}
