import AuthStateJOSE
import AuthStateKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way to the provider and back.
extension OpenIDSessions {
    /// Begins the login of a user who came from a page of ours or typed the address; any other user is asked first.
    ///
    /// Browsers say in `Sec-Fetch-Site` where a navigation began. Without the question another site's link could sign a
    /// visitor in, as the user who is signed in at the provider.
    func enter(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let path = returnPath(request.queryParameters["return"])
        if ["same-origin", "none"].contains(request.headers[.secFetchSite]) {
            return try await begin(path) { .redirect(to: $0, type: .normal) }
        }
        return try configuration.pages.question(
            SignInQuestion(action: configuration.paths.login, returnPath: path), for: request, context: context)
    }

    /// Begins the login of a user who was asked; only our own form does.
    func enterByForm(_ request: Request) async throws -> Response {
        guard isOurOrigin(request) else { throw OpenIDRefusal.forgedForm }
        return try await begin(returnPath(try await request.formParameters()["return"])) { .leading(to: $0) }
    }

    /// Sends the browser to the provider; the data to check on its return travel in its cookie, sealed.
    private func begin(_ path: String, answer: (String) -> Response) async throws -> Response {
        let pending = try await begin()
        var response = answer(pending.url.absoluteString)
        BrowserCookie.login.set(try seal.seal(PendingLogin(pending, returningTo: path)), in: &response)
        return response
    }

    /// Handles the provider's answer. Until every check has passed nothing is changed, because any page can send the
    /// browser here.
    func complete(_ request: Request) async throws -> Response {
        guard let login = BrowserCookie.login.text(in: request).flatMap(seal.open), now < login.expiresAt,
            ConstantTime.equals(request.queryParameters["state"] ?? "", login.state)
        else { throw OpenIDRefusal.unknownLogin }
        let session = try await begin(
            try await resume(login),
            callback: AuthorizationCallback(url: configuration.baseURL(request.uri.string)),
            replacing: await formerSession(of: request))
        var response = Response.redirect(to: returnPath(login.returnPath), type: .found)
        BrowserCookie.login.remove(from: &response)
        BrowserCookie.session.set(session.secret.text, in: &response)
        return response
    }

    private func returnPath(_ text: String?) -> String {
        text.flatMap { ReturnPath($0) }?.text ?? configuration.paths.afterLogin
    }
}

extension HTTPField.Name {
    /// Where a navigation began (Fetch Metadata, section 2.4).
    static var secFetchSite: Self { known("Sec-Fetch-Site") }
}
