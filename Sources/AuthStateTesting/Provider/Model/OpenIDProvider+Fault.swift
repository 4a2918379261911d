import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension OpenIDProvider {
    /// A failure of one request.
    public enum Fault: Sendable {
        // The request is not processed.
        /// This status, without a body.
        case status(Int, retryAfter: Int? = nil)
        /// An OAuth error response.
        case oauthError(String, status: Int = 400, description: String? = nil)
        /// This text as the body, in UTF-8.
        case text(String, contentType: String = "application/json", status: Int = 200)
        /// A redirect.
        case redirect(to: String, status: Int = 307)
        /// No answer, and the connection stays open.
        case hang
        /// The connection is reset.
        case resetBeforeProcessing

        // The request is processed.
        /// The connection is reset: the answer is lost.
        case reset
        /// Half of the answer's body arrives, then the connection ends.
        case halfBody
        /// The answer waits until the gate opens.
        case held(ScriptedTransport.Gate)
        /// The answer comes late.
        case delay(Duration)
    }
}

extension OpenIDProvider.Fault {
    /// Lets the fault decide when, how and whether the request is answered.
    func apply(to responder: LoopbackResponder, process: () -> LoopbackResponse) {
        switch self {
        case .status(let status, let retryAfter):
            responder.respond(
                LoopbackResponse(status: status, headers: retryAfter.map { ["Retry-After": "\($0)"] } ?? [:]))
        case .oauthError(let error, let status, let description):
            responder.respond(.oauthError(error, description, status: status))
        case .text(let text, let contentType, let status):
            responder.respond(
                LoopbackResponse(status: status, headers: ["Content-Type": contentType], body: Array(text.utf8)))
        case .redirect(let location, let status):
            responder.respond(LoopbackResponse(status: status, headers: ["Location": location]))
        case .hang: break
        case .resetBeforeProcessing: responder.inject(.reset)
        case .reset:
            _ = process()
            responder.inject(.reset)
        case .halfBody: responder.inject(.raw(process().firstHalf, thenClose: true))
        case .held(let gate):
            let response = process()
            Task { if (try? await gate.pass()) != nil { responder.respond(response) } }
        case .delay(let duration):
            let response = process()
            Task { if (try? await Task.sleep(for: duration)) != nil { responder.respond(response) } }
        }
    }
}

extension LoopbackResponse {
    /// The head, with the length of the whole body, and half of the body.
    fileprivate var firstHalf: [UInt8] {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = "HTTP/1.1 \(status) OK\r\n\(fields)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body.prefix(body.count / 2)
    }
}
