package import AuthStateFoundation
import AuthStateJOSE

/// A request to read, change or delete a registration (RFC 7592, section 2).
package struct RegistrationManagementRequest: Sendable, Hashable, Redacted {
    package enum Action: Sendable, Hashable {
        /// Read the registration (section 2.1).
        case read
        /// Replace everything that is registered (section 2.2); see `RegistrationRequest(updating:at:)`.
        case update(RegistrationRequest)
        /// Delete the client (section 2.3).
        case delete
    }

    /// The registration, with where it is managed and the token for that.
    package var registration: RegistrationResponse
    package var action: Action

    package init(_ action: Action, _ registration: RegistrationResponse) {
        self.action = action
        self.registration = registration
    }

    /// Where it goes; throws `AuthStateError` with `.endpointMissing`.
    package var endpoint: URL {
        get throws {
            try registration.registrationClientURI.required(
                at: .registration, "The provider did not say where the registration is managed.",
                hint: "Change the registration on the provider's pages.")
        }
    }

    /// The HTTP request, with the registration access token.
    ///
    /// An update carries the client's identifier and its secret, which the provider compares with its own, but none of
    /// the members that only the provider sets (section 2.2).
    ///
    /// - Throws: `AuthStateError` with `.endpointMissing`, or for a malformed scope.
    package func transportRequest() throws -> TransportRequest {
        let endpoint = try endpoint
        var headers: TransportHeaders = ["Accept": "application/json"]
        headers["Authorization"] = registration.registrationAccessToken.map { "Bearer \($0)" }
        switch action {
        case .read: return TransportRequest(method: .get, url: endpoint, headers: headers)
        case .delete: return TransportRequest(method: .delete, url: endpoint, headers: headers)
        case .update(let request):
            var body = try request.metadata.document()
            body["client_id"] = .string(registration.clientID)
            body["client_secret"] = registration.clientSecret.map { .string($0) }
            headers["Content-Type"] = "application/json"
            return TransportRequest(
                method: .put, url: endpoint, headers: headers, body: Data(JSONValue.object(body).serialized()))
        }
    }

    package var description: String { "request of \(registration.clientID) to \(action.verb)" }

    /// Reads an answer (RFC 7592, sections 2 and 3): the registration as it is now; nil when it is deleted.
    ///
    /// - Throws: `AuthStateError` of stage registration: `.registrationTokenRejected` when the token is not valid, as
    ///   for a client that is gone; `.unsupported` when the provider does not allow it; the provider's error response;
    ///   `.malformedResponse`, as for another client's registration.
    package func answer(_ response: TransportResponse) throws -> RegistrationResponse? {
        let refusal = OAuthErrorResponse(response.json)
        let reason = refusal?.summary ?? response.foreignReason
        switch response.status {
        case 401 where response.isPage, 403 where response.isPage:
            throw AuthStateError.endpoint("place of the registration", response, stage: .registration)
        case 401,
            400 where refusal?.code == .tokenRejected:
            throw AuthStateError(
                .registrationTokenRejected, stage: .registration,
                "The provider refused the registration access token: it was replaced, or the client is gone.",
                received: reason, hint: "Register again.", response: refusal, httpStatus: response.status)
        case 403, 405:
            throw AuthStateError(
                .unsupported, stage: .registration,
                "The provider does not let this client \(action.verb) (status \(response.status)).",
                received: reason, hint: "Change the registration on the provider's pages.", response: refusal,
                httpStatus: response.status)
        case 200...299 where action == .delete: return nil
        default:
            guard action == .delete else {
                return try RegistrationResponse(response, asked: asked, former: registration)
            }
            throw RegistrationResponse.failure(response, of: "deletion")
        }
    }

    /// The metadata that are registered if the answer does not say otherwise.
    private var asked: [String: JSONValue] {
        get throws {
            if case .update(let request) = action { return try request.metadata.document() }
            return registration.metadata
        }
    }
}

extension RegistrationRequest {
    /// The request that deletes a client whose registration was answered and cannot be used (RFC 7592, section 2.3); nil when
    /// the provider did not say where and by which token.
    package static func undoing(_ answer: TransportResponse) -> TransportRequest? {
        guard (200...299).contains(answer.status), let json = answer.json,
            let url = json["registration_client_uri"]?.stringValue.flatMap(ProviderMetadata.endpoint),
            let token = json["registration_access_token"]?.stringValue, TokenResponse.token(token) != nil
        else { return nil }
        return TransportRequest(
            method: .delete, url: url, headers: ["Accept": "application/json", "Authorization": "Bearer \(token)"])
    }
}

extension RegistrationManagementRequest.Action {
    fileprivate var verb: String {
        switch self {
        case .read: "read its registration"
        case .update: "change its registration"
        case .delete: "delete its registration"
        }
    }
}
