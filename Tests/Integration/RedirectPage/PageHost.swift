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
    private let server: LoopbackServer

    init(_ html: String, port: Int = 0) throws {
        var limits = LoopbackLimits()
        limits.headBytes = 64 << 10
        server = try LoopbackServer(port: UInt16(port), addresses: [.ipv4], limits: limits) { request, responder in
            let isFrame = request.path == Self.frame
            let body = isFrame ? "<iframe src='/callback?\(request.query ?? "")'></iframe>" : html
            responder.respond(
                LoopbackResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(body.utf8)))
        }
        origin = "http://127.0.0.1:\(server.port)"
    }

    deinit { server.stop() }
}
