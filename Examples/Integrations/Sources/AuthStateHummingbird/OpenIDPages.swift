import HTTPTypes
public import Hummingbird

/// The pages that people see on their way in and out; errors are thrown, see `OpenIDRefusal`.
public protocol OpenIDPages: Sendable {
    /// Asks a visitor whom another site sent whether to sign in.
    func question(_ question: SignInQuestion, for request: Request, context: some RequestContext) throws -> Response

    /// Says that the user is signed out.
    ///
    /// - Parameter isConfirmed: Whether the provider's session has ended too; also true on a visit without a logout.
    func signedOut(isConfirmed: Bool, for request: Request, context: some RequestContext) throws -> Response
}

/// The form that begins a login: it posts `returnPath` as `return` to `action`.
public struct SignInQuestion: Sendable {
    /// The path of the form's target.
    public var action: String
    /// The page that the visitor asked for; to be escaped.
    public var returnPath: String
}

/// Pages without any style.
public struct PlainOpenIDPages: OpenIDPages {
    /// Makes the pages.
    public init() {}

    /// Asks a visitor whom another site sent whether to sign in.
    public func question(
        _ question: SignInQuestion, for request: Request, context: some RequestContext
    ) throws -> Response {
        page(
            "Sign in",
            """
            <p>Do you want to sign in here?</p>
            <form method="post" action="\(escaped(question.action))">
            <input type="hidden" name="return" value="\(escaped(question.returnPath))">
            <button id="login">Sign in</button></form>
            """)
    }

    /// Says that the user is signed out.
    public func signedOut(isConfirmed: Bool, for request: Request, context: some RequestContext) throws -> Response {
        let doubt = "<p id=\"doubt\">The sign-in service did not confirm that you are signed out there too.</p>"
        return page("You are signed out", isConfirmed ? "" : doubt)
    }

    private func page(_ title: String, _ content: String) -> Response {
        let text = "<!doctype html><html lang=\"en\"><title>\(title)</title><h1>\(title)</h1>\n\(content)\n</html>\n"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
                // A browser sends `Origin: null` with the forms of a page that has `no-referrer` (Fetch, section 3.2).
                .referrerPolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

}

extension Response {
    /// A page that leads the browser on at once, as the answer to a form.
    ///
    /// A redirect would be under the `form-action` of the form's page, and so would each further redirect of the provider, for
    /// example to the identity provider behind it: the browser would stay where it is, without a word (CSP 3, section 6.4.1).
    static func leading(to url: String) -> Response {
        let link = "<a href=\"\(escaped(url))\">Continue</a>"
        return Response(
            status: .ok,
            headers: [
                .refresh: "0; url=\(url)", .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
                .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    string: "<!doctype html><html lang=\"en\"><title>Continue</title><p>\(link)</p></html>\n")))
    }
}

private func escaped(_ text: String) -> String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")].reduce(text) {
        $0.replacing($1.0, with: $1.1)
    }
}

extension HTTPField.Name {
    static var refresh: Self { known("Refresh") }
}
