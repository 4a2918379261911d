import HTTPTypes
public import Hummingbird

/// Sends a browser that came to `localhost` to the name that the provider sends it back to, for instance `127.0.0.1`.
///
/// Cookies belong to one name: without this a login would begin at one and fail at the other. Only on this machine:
/// behind a proxy the proxy decides about the name in the request.
public struct LoopbackName<Context: RequestContext>: RouterMiddleware {
    private let baseURL: BaseURL

    /// Makes the middleware of a site.
    public init(baseURL: BaseURL) { self.baseURL = baseURL }

    /// Redirects, or passes the request on.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard baseURL.isLoopback, request.method == .get, let name = request.head.authority,
            name != baseURL.authority, request.uri.path != "/healthz"
        else { return try await next(request, context) }
        return .redirect(to: baseURL(request.uri.string), type: .temporary)
    }
}
