import AuthStateJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension DeviceAuthorizationResponse {
    /// Reads an answer of the device authorization endpoint (RFC 8628, section 3.2).
    ///
    /// Google's names from before the RFC, `verification_url` and `verification_url_complete`, are read too.
    ///
    /// - Parameter sentAt: When the request was sent; `expires_in` counts from there.
    /// - Throws: `AuthStateError` of stage authorization: the provider's refusal, or a member that is absent or unusable.
    package init(
        _ response: TransportResponse, to request: DeviceAuthorizationRequest, sentAt: Date
    ) throws(AuthStateError) {
        let tolerances = request.configuration.tolerances
        let json = response.tokenDocument(tolerating: tolerances)
        if let error = OAuthErrorResponse(json, tolerating: tolerances) {
            throw .deviceEndpoint(error, response, now: sentAt)
        }
        guard response.status == 200 else {
            throw .endpoint("device authorization endpoint", response, stage: .authorization, now: sentAt)
        }
        guard let members = json?.objectValue else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization,
                "The device authorization endpoint did not answer with a JSON object.",
                received: response.mediaType.map { "\($0), \(response.body.count) bytes" },
                hint: "Check that the device authorization endpoint is the right one.", httpStatus: 200)
        }
        let answer = Members(members: members)
        // As in a token response: null is none, and anything else is an error that cannot be read.
        try answer.requireNone("error")
        self.init(
            request: request,
            deviceCode: try answer.text("device_code", "visible ASCII characters") { TokenResponse.token($0) },
            userCode: try answer.text("user_code", "up to 100 printable characters", Self.userCode),
            verificationURI: try answer.uri("verification_uri", or: "verification_url"),
            verificationURIComplete: try answer.optionalURI(
                "verification_uri_complete", or: "verification_url_complete"),
            expiresAt: sentAt.addingTimeInterval(try answer.lifetime("expires_in")),
            interval: try answer.interval("interval"))
    }

    /// Text that can be shown on a terminal as it is.
    private static func userCode(_ text: String) -> String? {
        let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        return TrustCheck.deviceUserCode.holds(!isBlank && text.printable(100) == text) ? text : nil
    }

    /// The members of the answer, each read in the one way that is right for it.
    private struct Members {
        let members: [String: JSONValue]

        private func refusal(_ member: String, _ expected: String) -> AuthStateError {
            AuthStateError(
                .malformedResponse, stage: .authorization,
                "The device authorization response's \(member) cannot be used.", expected: expected,
                received: value(member) == nil ? "nothing" : "something else", httpStatus: 200)
        }

        /// Some providers write null for what is not there.
        private func value(_ member: String) -> JSONValue? {
            guard let value = members[member], value != .null else { return Optional.none }
            return value
        }

        func requireNone(_ member: String) throws(AuthStateError) {
            guard value(member) == nil else { throw refusal(member, "no \(member)") }
        }

        func text(
            _ member: String, _ expected: String, _ accept: (String) -> String?
        ) throws(AuthStateError) -> String {
            guard let text = value(member)?.stringValue.flatMap(accept) else { throw refusal(member, expected) }
            return text
        }

        func uri(_ member: String, or alias: String) throws(AuthStateError) -> URL {
            guard let url = try optionalURI(member, or: alias) else { throw refusal(member, Self.uri) }
            return url
        }

        func optionalURI(_ member: String, or alias: String) throws(AuthStateError) -> URL? {
            guard let value = value(member) ?? value(alias) else { return nil }
            guard let url = value.stringValue.flatMap(Self.page) else { throw refusal(member, Self.uri) }
            return url
        }

        private static let uri = "an absolute http(s) URL"

        /// A page that a browser may open: other schemes start other programs.
        private static func page(_ text: String) -> URL? {
            guard let url = URL(string: text) else { return nil }
            let parts = URIReference(url.absoluteString)
            let isPage = (parts.hasScheme("https") || parts.hasScheme("http")) && parts.hasPlainHost
            return TrustCheck.deviceVerificationURI.holds(isPage && parts.user == nil) ? url : nil
        }

        /// Seconds, at most ten years; a number in a string is taken as the number, as in a token response.
        func lifetime(_ member: String) throws(AuthStateError) -> Double {
            guard let seconds = seconds(member), seconds > 0 else {
                throw refusal(member, "a positive number of seconds")
            }
            return min(seconds, 10 * 365 * 86400)
        }

        /// Seconds, at least one, so that a provider which sends 0 is not asked without a pause.
        func interval(_ member: String) throws(AuthStateError) -> Double {
            guard value(member) != nil else { return 5 }
            guard let seconds = seconds(member), seconds >= 0 else { throw refusal(member, "a number of seconds") }
            return min(max(seconds, 1), 86400)
        }

        private func seconds(_ member: String) -> Double? {
            let number = value(member)?.doubleValue ?? value(member)?.stringValue.flatMap(Double.init)
            return number.flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
