import AuthStateJOSE
import AuthStateKit
import AuthStateServer
import HTTPTypes
import Hummingbird
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The logout: here at once, then at the provider, and back; and the one that the provider tells of.
extension OpenIDSessions {
    /// Signs out. Only this site's own form does: its token is bound to the session, and the browser names its origin.
    func logOut(_ request: Request) async throws -> Response {
        guard let session = try await session(of: request) else {
            return .redirect(to: configuration.paths.home, type: .normal)
        }
        guard isOurOrigin(request), try session.accepts(formToken: try await request.formParameters()["token"]) else {
            throw OpenIDRefusal.forgedForm
        }
        let logout = try await end(session)
        var response: Response =
            if let logout {
                .leading(to: logout.url.absoluteString)
            } else { .redirect(to: configuration.paths.logout, type: .normal) }
        BrowserCookie.session.remove(from: &response)
        // Only the browser has it, so that any server can tell whether it comes back from this logout. Without a page of the
        // provider's nothing has this state: the session there was not ended.
        BrowserCookie.logout.set(logout?.request.state ?? Self.unconfirmed, in: &response)
        return response
    }

    private static let unconfirmed = "unconfirmed"

    /// The page to which the provider sends the browser afterwards. Its text is also true for a direct visit.
    func loggedOut(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard try await session(of: request) == nil else {
            return .redirect(to: configuration.paths.home, type: .normal)
        }
        guard let state = BrowserCookie.logout.text(in: request) else {
            return try configuration.pages.signedOut(isConfirmed: true, for: request, context: context)
        }
        // Any page can send the browser here, and changes nothing then.
        let isConfirmed = ConstantTime.equals(request.queryParameters["state"] ?? "", state)
        var response = try configuration.pages.signedOut(isConfirmed: isConfirmed, for: request, context: context)
        if isConfirmed { BrowserCookie.logout.remove(from: &response) }
        return response
    }

    /// Ends the sessions that the provider's logout token names, at every server of the store (OpenID Connect Back-Channel
    /// Logout 1.0, section 2.8).
    func logOutByProvider(_ request: Request, _ context: some RequestContext) async throws -> Response {
        var response = Response(status: .ok, headers: [.cacheControl: "no-store"])
        do {
            let posted = try await request.formParameters(upTo: Self.longestLogoutToken)["logout_token"] ?? ""
            let token = try await pool.service.logoutToken(
                posted, configuration: try await provider(), clientID: configuration.clientID)
            let outcome = try await pool.logOut(token)
            for warning in outcome.warnings { report("tokens were not revoked", warning, in: context) }
            context.logger.info("signed out by the provider", metadata: ["sessions": "\(outcome.ended.count)"])
        } catch {
            try Task.checkCancellation()
            report("a logout by the provider failed", error, in: context)
            response = Response(
                status: .badRequest, headers: [.cacheControl: "no-store", .contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"error":"invalid_request"}"#)))
        }
        return response
    }

    /// The longest body with a logout token, which may carry certificates and many audiences.
    private static let longestLogoutToken = 65_536

    private func report(_ message: Logger.Message, _ error: any Error, in context: some RequestContext) {
        let code = (error as? AuthStateError)?.code.rawValue
        context.logger.warning(message, metadata: ["error": "\(error)", "code": "\(code ?? "none")"])
    }
}
