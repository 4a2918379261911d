package import AuthStateFoundation
import AuthStateJOSE

/// The provider's reference to a pushed request (RFC 9126, section 2.2).
package struct PushedAuthorizationResponse: Sendable, Hashable, Redacted {
    /// `request_uri`: the reference that the browser carries to the authorization endpoint, once.
    package let requestURI: String
    /// When the browser must have arrived there; how long the user takes after that does not matter. Nil where the provider does not
    /// say it.
    package let expirationDate: Date?

    /// Reads an answer: status 201 (or another success), an absolute URI, and a number of seconds from `sentAt` on.
    ///
    /// - Throws: `AuthStateError` of stage authorization: the provider's error response (section 2.3), or `.malformedResponse`.
    package init(_ response: TransportResponse, sentAt: Date) throws {
        let json = response.json
        let error = OAuthErrorResponse(json)
        guard error == nil, response.isSuccess(200, 201) else {
            throw AuthStateError.pushedAuthorization(error, response, now: sentAt)
        }
        guard let members = (json?.objectValue).map(AnswerMembers.init) else {
            throw AuthStateError.noObject("pushed authorization request endpoint", response, stage: .authorization)
        }
        guard !members.isError else { throw Self.refusal("error", expected: "no error", response) }
        guard let uri = members.text("request_uri"), Self.isReference(uri) else {
            throw Self.refusal("request_uri", expected: "an absolute URI", response)
        }
        requestURI = uri
        let seconds = members.number("expires_in").flatMap { $0 > 0 ? $0 : nil }
        // The section requires it; only a program that puts the browser off has a use for it.
        if seconds == nil { Leniency.unusableMember.note("expires_in") }
        expirationDate = seconds.map { sentAt.addingTimeInterval(min($0, 86400)) }
    }

    /// Visible ASCII with a scheme: most providers write a URN of RFC 9126, section 2.2.
    private static func isReference(_ uri: String) -> Bool {
        uri.utf8.allSatisfy { (0x21...0x7E).contains($0) } && URIReference(uri).scheme != nil
    }

    private static func refusal(_ member: String, expected: String, _ response: TransportResponse) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .authorization,
            "The \(member) of the pushed authorization request endpoint cannot be used.", expected: expected,
            hint: "Check that the endpoint is the right one.", httpStatus: response.status)
    }

    /// The expiry; the reference stays secret until the browser carries it.
    package var description: String {
        "pushed authorization response, until \(expirationDate.map { "\($0)" } ?? "an unknown time")"
    }
}
