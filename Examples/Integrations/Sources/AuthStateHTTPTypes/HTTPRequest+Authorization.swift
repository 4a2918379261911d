public import AuthStateKit
public import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPRequest {
    /// Adds the header fields that authorize the request: `Authorization`, and `DPoP` for a token that is bound to a key.
    ///
    /// A proof is for one sending of this request: authorize it again to send it again, and after a change of its method or
    /// target.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` for a request without scheme, authority and path, otherwise as
    ///   `Tokens.authorizationHeaders(method:url:)`: `.insecureURL` when the token must not go there.
    public mutating func authorize(with tokens: Tokens) throws {
        let fields = try tokens.authorizationHeaders(method: .init(rawValue: method.rawValue), url: target)
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            headerFields[name] = field.value
        }
    }

    /// The URL that the request goes to.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    var target: URL {
        get throws {
            if let scheme, let authority, let path, path.hasPrefix("/"),
                let url = URL(string: "\(scheme)://\(authority)\(path)")
            {
                return url
            }
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The request has no URL.", expected: "scheme, authority and path",
                hint: "Make it with HTTPRequest(method:scheme:authority:path:).")
        }
    }
}

extension Tokens {
    /// Checks what an answer says about these tokens, by the rules of `AuthState.performAction`, and records its DPoP nonce.
    ///
    /// For the body of `withFreshToken`, which handles the error.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request that it answers.
    ///   - body: The beginning of the answer's body if it is known, for the error.
    /// - Throws: As `check(_:of:)` of a `TransportResponse`.
    public func check(_ response: HTTPResponse, to request: HTTPRequest, body: some Sequence<UInt8> = []) throws {
        var headers = TransportHeaders()
        for field in response.headerFields { headers.append(field.name.rawName, field.value) }
        let answer = TransportResponse(status: response.status.code, headers: headers, body: Data(body.prefix(1024)))
        try check(answer, of: request.target)
    }
}
