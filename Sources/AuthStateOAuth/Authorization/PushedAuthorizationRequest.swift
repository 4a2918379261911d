package import AuthStateFoundation
import AuthStateJOSE

/// An authorization request that the client posts to the provider itself (RFC 9126, section 2).
///
/// The parameters do not pass through the browser: they cannot be read or changed there, and may be long.
package struct PushedAuthorizationRequest: Sendable, Hashable, Redacted {
    package var request: AuthorizationRequest
    /// The request as a compact `RequestObject`, sent instead of the parameters (RFC 9126, section 3).
    package var requestObject: String?

    package init(_ request: AuthorizationRequest, requestObject: String? = nil) {
        self.request = request
        self.requestObject = requestObject
    }

    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            try request.client.provider.pushedAuthorizationRequestEndpoint.required(
                at: .authorization, "The provider has no endpoint for pushed authorization requests.",
                expected: "pushed_authorization_request_endpoint",
                hint: "Leave isPushed to the metadata, or use another provider.")
        }
    }

    /// The HTTP request: a form with the parameters or the signed object, and with the client's proof; with a `dpopKey`
    /// also a signed `DPoPProof` for this endpoint (RFC 9449, section 10.1).
    ///
    /// - Throws: `AuthStateError`: `.endpointMissing`, a `requestURI` (a reference cannot be pushed, section 2.1), and
    ///   every error of `AuthorizationRequest.url()`.
    package func transportRequest(
        authentication: ClientAuthentication, dpopProof: String? = nil
    ) throws -> TransportRequest {
        let endpoint = try endpoint
        try request.check()
        guard request.requestURI == nil else {
            throw AuthorizationRequest.refusal(
                .invalidArgument, "A request that is published under a URL of its own cannot be pushed as well.",
                hint: "Leave out requestURI: the provider makes the reference.")
        }
        let form: Parameters
        if let requestObject {
            form = ["client_id": request.client.id, "request": requestObject]
        } else {
            form = try request.parameters()
        }
        var message = try TransportRequest(
            posting: form, to: endpoint, authentication: authentication, stage: .authorization)
        if let dpopProof { message.headers["DPoP"] = dpopProof }
        return message
    }

    package var description: String { "pushed \(request)" }
}
