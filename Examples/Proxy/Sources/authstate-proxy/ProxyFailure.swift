import AuthStateKit
import AuthStatePlatform
import AuthStateProgram

/// A request that the proxy answers itself.
struct ProxyFailure: Error, Equatable {
    /// The HTTP status.
    let status: Int
    /// The reason.
    let error: AuthStateError
    /// The path of a request that came with the key; nil for other requests.
    private(set) var path: String?
    /// Whether the user is told on standard error.
    private(set) var isTold = false

    /// Makes the refusal of a request.
    init(_ status: Int, _ message: String, hint: String? = nil) {
        self.status = status
        error = AuthStateError(.invalidArgument, stage: .usage, message, hint: hint)
    }

    /// The same failure of a request that came with the key.
    func at(_ path: String) -> ProxyFailure {
        var copy = self
        copy.path = path.printable()
        return copy
    }

    /// Makes the failure of a request that was passed on, or could not be: 504 when the time was over, 400 for a request
    /// that the transport refuses, else 502.
    init(_ error: AuthStateError) {
        status =
            switch (error.stage, error.code) {
            case (_, .timedOut): 504
            case (.resource, .invalidRequest): 400
            default: 502
            }
        self.error = error
    }

    /// The answer: the object that `--json` prints for an error.
    var answer: ProxyAnswer {
        ProxyAnswer(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONValue.object(["error": error.json]).printed + [0x0A])
    }
}

extension ProxyFailure {
    static let malformed = ProxyFailure(400, "The request is not HTTP.")
    static let target = ProxyFailure(
        400, "The request's target is not a path.", hint: "Use the proxy's URL as the base URL, not as an HTTP proxy.")
    static let path = ProxyFailure(400, "The path could lead out of the base URL, or is not a path of a URL.")
    static let host = ProxyFailure(403, "The Host header does not name this proxy.", hint: "Use the printed URL.")
    static let page = ProxyFailure(403, "Web pages cannot use this proxy.")
    /// A wrong key: the answer tells nothing about the API.
    static let notFound = ProxyFailure(404, "There is nothing here.")
    /// A request that no rule allows.
    static let rule = told(
        403, "No --allow of the proxy names this request.",
        hint: "The user can start the proxy with a rule for this method and path.")
    static let unconfirmed = ProxyFailure(
        403, "The user has not confirmed this request.", hint: "The user confirms it at the terminal of the proxy.")
    static let audit = told(503, "Requests are not passed on: the file of --audit cannot be written.")

    private static func told(_ status: Int, _ message: String, hint: String? = nil) -> ProxyFailure {
        var failure = ProxyFailure(status, message, hint: hint)
        failure.isTold = true
        return failure
    }

    static let targetLength = ProxyFailure(414, "The target has more than \(ProxyLimits.targetBytes >> 10) KiB.")
    static let expectation = ProxyFailure(417, "Of expectations the proxy knows 100-continue alone.")
    static let headers = ProxyFailure(431, "The headers have more than \(ProxyLimits.headerBytes >> 10) KiB.")
    static let method = ProxyFailure(501, "The proxy does not pass on CONNECT and TRACE.")
    static let upgrade = ProxyFailure(
        501, "The proxy passes on upgrades to WebSocket only.", hint: "Use HTTP/1.1 without Upgrade.")
    static let ending = ProxyFailure(503, "The proxy is ending.")
}

/// The bounds of the proxy.
enum ProxyLimits {
    /// The bytes of a request's body that are kept, to send it again with another token; a longer one is sent as it comes.
    static let keptBytes = 1 << 20
    /// The bytes of the body of an error of the API's.
    static let refusalBytes = 64 << 20
    /// The bytes of a request's header fields, and of one of them.
    static let headerBytes = 64 << 10
    /// The bytes of a request's target.
    static let targetBytes = 16 << 10
    /// The seconds that a program without the key has for a request, and for an answer.
    static let strangerSeconds = 5.0
    /// The connections that are served at once, by all listeners together; others wait. Each may need a second descriptor, for a
    /// connection to the API.
    ///
    /// - Parameter descriptors: The descriptors that the process may have; some of them serve other ends.
    static func connections(for descriptors: Int) -> Int { min(400, max(1, (descriptors - 64) / 2)) }
}
