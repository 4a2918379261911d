import AuthStateHummingbird
import AuthStateKit
import HTTPTypes
import Hummingbird
import Logging

/// Turns errors into pages: what happened and what to do for the user, everything else for the log.
struct ErrorPages<Context: RequestContext>: RouterMiddleware {
    /// The path to which the provider sends its answers.
    let callback: String

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let problem = Problem(error, isCallback: request.uri.path == callback)
            context.logger.log(
                level: problem.status.kind == .serverError ? .error : .notice, "\(problem.title)",
                metadata: ["error": "\(error)", "code": "\((error as? AuthStateError)?.code.rawValue ?? "none")"])
            return problem.page(reference: context.id).response(from: request, context: context)
        }
    }
}

/// The text about an error for a user.
struct Problem {
    var status: HTTPResponse.Status
    var title: String
    var advice: String
    var retryAfter: Duration?

    /// - Parameter isCallback: Whether the request is the provider's answer: elsewhere an answer that is refused is one to this
    ///   server's own request.
    init(_ error: any Error, isCallback: Bool) {
        switch error {
        case let error as OpenIDRefusal: self.init(error)
        case let error as AuthStateError:
            self = error.kind == .refused && !isCallback ? Self.ours : Self.kinds[error.kind] ?? Self.ours
            if error.code == .accessDenied { self = Self.denied }
            if error.code == .storeCorrupt { self = Self.damaged }
            retryAfter = error.kind == .transient ? error.retryAfter ?? .seconds(10) : nil
        case let error as any HTTPResponseError where error.status == .notFound:
            self.init(status: .notFound, title: "There is no such page", advice: "Check the address.")
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            self.init(status: error.status, title: "This request cannot be served", advice: "Go back and try again.")
        default: self = Self.ours
        }
    }

    private init(status: HTTPResponse.Status, title: String, advice: String) {
        self.status = status
        self.title = title
        self.advice = advice
    }

    func page(reference: String) -> Page {
        var page = Page(
            status: status, title: title,
            content: """
                <p>\(advice)</p>
                <p><small>Reference for the operator of this site: \(reference)</small></p>
                <nav><a class="button" href="/login">Sign in</a> <a class="button quiet" href="/">Home</a></nav>
                """)
        if let retryAfter { page.headers[.retryAfter] = "\(Int((retryAfter / .seconds(1)).rounded(.up)))" }
        return page
    }

    private static let ours = Problem(
        status: .internalServerError, title: "Something is wrong here",
        advice: "This is our fault, not yours. Try again later.")

    private static let denied = Problem(
        status: .forbidden, title: "The sign-in was declined",
        advice: "Nothing was changed. Sign in again if that was not your intention.")

    private static let damaged = Problem(
        status: .forbidden, title: "Please sign in again",
        advice: "The record of your sign-in is damaged and cannot be used any more.")

    private static let kinds: [AuthStateError.Kind: Problem] = [
        .refused: Problem(
            status: .badRequest, title: "This sign-in cannot be accepted",
            advice:
                "The answer that arrived does not fit the sign-in that began here. Nothing was changed. Sign in again."
        ),
        .cancelled: denied,
        .reauthenticationRequired: Problem(
            status: .forbidden, title: "Please sign in again", advice: "Your sign-in has ended."),
        .transient: Problem(
            status: .serviceUnavailable, title: "The sign-in service does not answer",
            advice: "You are not signed out. Try again in a moment."),
        .store: Problem(
            status: .serviceUnavailable, title: "Your sign-in cannot be read or stored at the moment",
            advice: "Nothing was changed. Try again in a moment."),
        .resource: Problem(
            status: .badGateway, title: "The sign-in service refused the request", advice: "Try again later."),
    ]
}

extension Problem {
    fileprivate init(_ refusal: OpenIDRefusal) {
        switch refusal {
        case .unknownLogin:
            self.init(
                status: refusal.status, title: "No sign-in is waiting for this answer",
                advice: "It was begun in another browser or over ten minutes ago, or it was completed before. "
                    + "Nothing was changed.")
        case .forgedForm:
            self.init(
                status: refusal.status, title: "This form was not sent from our page",
                advice: "Nothing was changed. Open the page again and repeat what you did.")
        case .notSignedIn:
            self.init(status: refusal.status, title: "Please sign in", advice: refusal.reason)
        }
    }
}
