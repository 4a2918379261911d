import HTTPTypes
import Hummingbird
import Logging

/// One line for each request. Only the path: the query of a callback holds the code.
struct RequestLog<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        context.logger.info(
            "answered",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(response.status.code)",
                "took": "\(ContinuousClock.now - start)",
            ])
        return response
    }
}
