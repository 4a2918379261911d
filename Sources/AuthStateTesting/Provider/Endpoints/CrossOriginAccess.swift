import AuthStateOAuth
import AuthStateUserAgent

/// Leave for the scripts of a page on this machine to call an endpoint from the browser (Fetch, CORS protocol). Without cookies:
/// a script has no more than the tokens that it was given.
struct CrossOriginAccess {
    private let origin: String

    /// Nil for a page of another machine, and for an endpoint that is a page itself.
    init?(_ request: LoopbackRequest, to endpoint: OpenIDProvider.Endpoint) {
        let isPage = [.authorization, .endSession, .deviceVerification, .home].contains(endpoint)
        guard !isPage, let origin = request.headers["Origin"], let host = URIReference(origin).host,
            ProviderCore.isLocal(String(host)), origin.allSatisfy({ $0.isASCII && $0 > " " })
        else { return nil }
        self.origin = origin
    }

    func added(to response: LoopbackResponse) -> LoopbackResponse {
        var response = response
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "DPoP-Nonce, WWW-Authenticate"
        response.headers["Vary"] = "Origin"
        return response
    }

    var preflight: LoopbackResponse {
        var response = added(to: LoopbackResponse(status: 204))
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
        response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, DPoP"
        return response
    }
}
