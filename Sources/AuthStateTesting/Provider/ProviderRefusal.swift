import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// A request that an endpoint refuses, as an OAuth error response (RFC 6749, section 5.2).
struct ProviderRefusal: Error, Sendable {
    var error: String
    var description: String?
    var status = 400
    var challenge: String?

    init(_ error: String, _ description: String? = nil, status: Int = 400, challenge: String? = nil) {
        (self.error, self.description, self.status, self.challenge) = (error, description, status, challenge)
    }

    static func invalidRequest(_ description: String) -> Self { Self("invalid_request", description) }
    static func invalidGrant(_ description: String) -> Self { Self("invalid_grant", description) }
    static func invalidScope(_ description: String) -> Self { Self("invalid_scope", description) }

    /// An answer of a protected resource (RFC 6750, section 3.1); without an error when no token came.
    static func bearer(_ error: String?, _ description: String, status: Int = 401, scope: String? = nil) -> Self {
        var challenge = #"Bearer realm="provider""#
        if let error { challenge += #", error="\#(error)", error_description="\#(description)""# }
        if let scope { challenge += #", scope="\#(scope)""# }
        return Self(error ?? "unauthorized", description, status: status, challenge: challenge)
    }

    var response: LoopbackResponse {
        var response = LoopbackResponse.oauthError(error, description, status: status)
        response.headers["WWW-Authenticate"] = challenge
        return response
    }
}

extension LoopbackResponse {
    /// JSON that must not be cached.
    static func json(
        _ members: [String: JSONValue], status: Int = 200, edit: ((inout [String: JSONValue]) -> Void)? = nil
    ) -> LoopbackResponse {
        var members = members
        edit?(&members)
        return LoopbackResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONValue.object(members).serialized())
    }

    static func oauthError(_ error: String, _ description: String?, status: Int) -> LoopbackResponse {
        var members: [String: JSONValue] = ["error": .string(error)]
        members["error_description"] = description.map { .string($0) }
        return .json(members, status: status)
    }

    static func redirect(to location: String) -> LoopbackResponse {
        LoopbackResponse(
            status: 302,
            headers: ["Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }
}
