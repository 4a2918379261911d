import AuthStateHummingbird
import Hummingbird

/// The pages of the sign-in, in this server's style.
struct SignInPages: OpenIDPages {
    func question(_ question: SignInQuestion, for request: Request, context: some RequestContext) throws -> Response {
        let page = Page(
            title: "Sign in",
            content: """
                <p>Do you want to sign in here?</p>
                <nav><form method="post" action="\(question.action)">
                <input type="hidden" name="return" value="\(question.returnPath)">
                <button class="button" id="login">Sign in</button></form>
                <a class="button quiet" href="/">Home</a></nav>
                """)
        return page.response(from: request, context: context)
    }

    func signedOut(isConfirmed: Bool, for request: Request, context: some RequestContext) throws -> Response {
        let doubt: HTML = "<p id=\"doubt\">The sign-in service did not confirm that you are signed out there too.</p>"
        let page = Page(
            title: "You are signed out",
            content: """
                \(isConfirmed ? "" : doubt)
                <nav><a class="button" href="/login">Sign in</a> <a class="button quiet" href="/">Home</a></nav>
                """)
        return page.response(from: request, context: context)
    }
}
