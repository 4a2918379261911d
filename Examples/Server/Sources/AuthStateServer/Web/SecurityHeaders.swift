import HTTPTypes
import Hummingbird

/// What every answer says about itself: keep it nowhere, frame it nowhere, believe its type, tell nobody where one came
/// from.
///
/// A page that says something of its own about one of these is left as it is.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    let isSecure: Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for field in Self.fields where response.headers[field.name] == nil {
            response.headers[field.name] = field.value
        }
        // Only over TLS: for this host the browser takes nothing else for half a year.
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=15552000" }
        return response
    }

    private static var fields: HTTPFields {
        [
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            .crossOriginOpenerPolicy: "same-origin",
        ]
    }
}

extension HTTPField.Name {
    static var referrerPolicy: Self { known("Referrer-Policy") }
    static var crossOriginOpenerPolicy: Self { known("Cross-Origin-Opener-Policy") }

    private static func known(_ name: StaticString) -> Self {
        guard let name = Self("\(name)") else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}
