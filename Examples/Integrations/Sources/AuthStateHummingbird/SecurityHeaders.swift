import HTTPTypes
public import Hummingbird

/// Headers of every answer: do not cache it, do not frame it, trust its type, send no referrer to other sites.
///
/// A page that sets one of these headers itself keeps its value.
public struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private let isSecure: Bool

    /// Makes the middleware of a site; over https, browsers also learn to use nothing else.
    public init(baseURL: BaseURL) { isSecure = baseURL.isSecure }

    /// Adds the headers.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for field in Self.fields where response.headers[field.name] == nil {
            response.headers[field.name] = field.value
        }
        // Only over TLS: the browser then accepts only TLS for this host for half a year.
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=15552000" }
        return response
    }

    private static var fields: HTTPFields {
        [
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .referrerPolicy: "same-origin",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            .crossOriginOpenerPolicy: "same-origin",
        ]
    }
}

extension HTTPField.Name {
    static var referrerPolicy: Self { known("Referrer-Policy") }
    static var crossOriginOpenerPolicy: Self { known("Cross-Origin-Opener-Policy") }

    static func known(_ name: StaticString) -> Self {
        guard let name = Self("\(name)") else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}
