import AuthStateKit
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way to the provider and back.
struct LoginRoutes: Sendable {
    let provider: Provider
    let sessions: Sessions
    let logins: PendingTrips<PendingLogin>

    func add(to router: Router<BasicRequestContext>) {
        router.get("/login") { request, _ in try await begin(request) }
        router.get("\(Provider.callbackPath)") { request, _ in try await complete(request) }
    }

    /// Sends the browser to the provider; what has to fit when it comes back stays here, under the cookie's hash.
    private func begin(_ request: Request) async throws -> Response {
        let wish = request.queryParameters["return"].flatMap { ReturnPath($0) }
        let pending = PendingLogin(authorization: try await provider.begin(), returnPath: wish ?? .profile)
        let secret = try BrowserSecret()
        await logins.keep(pending, for: secret)
        var response = Response.redirect(to: pending.authorization.url.absoluteString, type: .found)
        BrowserCookie.login.set(secret, in: &response)
        return response
    }

    /// Takes the provider's answer. Until every check has passed nothing is changed, whoever made the browser come
    /// here.
    private func complete(_ request: Request) async throws -> Response {
        guard let secret = BrowserCookie.login.secret(in: request),
            let pending = await logins.take(answeredBy: request.queryParameters, for: secret)
        else { throw Refusal.unknownLogin }
        let session = try await sessions.begin(
            pending.authorization, callback: AuthorizationCallback(url: provider.baseURL(request.uri.string)),
            replacing: await sessions.formerSession(of: request))
        var response = Response.redirect(to: pending.returnPath.text, type: .found)
        BrowserCookie.login.remove(from: &response)
        BrowserCookie.session.set(session.secret, in: &response)
        return response
    }
}
