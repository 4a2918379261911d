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
    /// The provider's origin, to which the form's answer redirects: for `form-action`.
    public var formTarget: String?
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
            """, formTarget: question.formTarget)
    }

    /// Says that the user is signed out.
    public func signedOut(
        isConfirmed: Bool, for request: Request, context: some RequestContext
    ) throws -> Response {
        let doubt = "<p id=\"doubt\">The sign-in service did not confirm that you are signed out there too.</p>"
        return page("You are signed out", isConfirmed ? "" : doubt, formTarget: nil)
    }

    private func page(_ title: String, _ content: String, formTarget: String?) -> Response {
        let forms = ["'self'", formTarget].compactMap(\.self).joined(separator: " ")
        let text = "<!doctype html><html lang=\"en\"><title>\(title)</title><h1>\(title)</h1>\n\(content)\n</html>\n"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action \(forms)",
                // A browser sends `Origin: null` with the forms of a page that has `no-referrer` (Fetch, section 3.2).
                .referrerPolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
