import AuthStateFoundation
package import AuthStateJOSE

/// The answer of the userinfo endpoint; `Content-Type` alone decides how it is read (OpenID Connect Core, section
/// 5.3.2).
package enum UserInfoAnswer: Sendable, Hashable {
    /// Claims as they are; an answer of any type but `application/jwt` has to be a JSON object.
    case plain([String: JSONValue])
    /// Claims in a signed JWT, not verified yet.
    case signed(SignedUserInfo)

    /// Reads an answer of status 200.
    ///
    /// - Throws: `AuthStateError`: `.malformedResponse`, or `.unsupported` when the claims are encrypted.
    package init(_ response: TransportResponse) throws {
        let body = [UInt8](response.body)
        guard response.mediaType != "application/jwt" else {
            self = .signed(try SignedUserInfo(parsing: String(decoding: body, as: UTF8.self)))
            return
        }
        guard let claims = response.json?.objectValue else {
            throw AuthStateError(
                .malformedResponse, stage: .userinfo, "The userinfo endpoint did not answer with a JSON object.",
                received: response.mediaType, httpStatus: response.status)
        }
        self = .plain(claims)
    }
}
