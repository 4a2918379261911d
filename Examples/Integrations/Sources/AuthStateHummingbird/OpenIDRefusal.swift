public import HTTPTypes
public import Hummingbird

/// A request that the sign-in itself does not accept; as a response, its status and a line of text.
public enum OpenIDRefusal: Error, Sendable, HTTPResponseError {
    /// A callback in a browser that has no login in progress for it.
    case unknownLogin
    /// A form that does not come from the site's own page.
    case forgedForm
    /// A page for users who are signed in.
    case notSignedIn

    /// 400 for a callback, else 403.
    public var status: HTTPResponse.Status { self == .unknownLogin ? .badRequest : .forbidden }

    /// The reason, for a user.
    public var reason: String {
        switch self {
        case .unknownLogin:
            "No sign-in is waiting for this answer. It was begun in another browser or over ten minutes ago, or it was "
                + "completed before. Nothing was changed."
        case .forgedForm:
            "This form was not sent from our page. Nothing was changed. Open the page again and repeat what you did."
        case .notSignedIn: "This page is for people who are signed in."
        }
    }

    /// The status and the reason as text.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: reason + "\n")))
    }
}
