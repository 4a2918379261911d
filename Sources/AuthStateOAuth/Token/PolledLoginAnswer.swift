import AuthStateFoundation
import AuthStateJOSE

/// The answer that begins a login which a person confirms elsewhere, its members each read in the one way that is right
/// for it (RFC 8628, section 3.2; OpenID Connect CIBA Core 1.0, section 7.3).
struct PolledLoginAnswer {
    /// The name of the endpoint and its response.
    private let name: String
    private let members: [String: JSONValue]
    private let sentAt: Date

    /// Reads an answer.
    ///
    /// - Parameter sentAt: When the request was sent; `expires_in` counts from there.
    /// - Throws: `AuthStateError` of stage authorization: the provider's refusal, or no document.
    init(
        _ response: TransportResponse, of name: String, tolerating tolerances: Set<Tolerance>, sentAt: Date
    ) throws(AuthStateError) {
        let json = response.tokenDocument(tolerating: tolerances)
        if let error = OAuthErrorResponse(json, tolerating: tolerances) {
            throw .refusal(by: "\(name) endpoint", error, response, stage: .authorization, now: sentAt)
        }
        guard response.status == 200 else {
            throw .endpoint("\(name) endpoint", response, stage: .authorization, now: sentAt)
        }
        guard let members = json?.objectValue else {
            throw AuthStateError(
                .malformedResponse, stage: .authorization, "The \(name) endpoint did not answer with a JSON object.",
                received: response.mediaType.map { "\($0), \(response.body.count) bytes" },
                hint: "Check that the \(name) endpoint is the right one.", httpStatus: 200)
        }
        (self.name, self.members, self.sentAt) = (name, members, sentAt)
        // As in a token response: null means absent, and anything else is an error that cannot be read.
        guard value("error") == nil else { throw refusal("error", "no error") }
    }

    private func refusal(_ member: String, _ expected: String) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .authorization, "The \(name) response's \(member) cannot be used.",
            expected: expected, received: value(member) == nil ? "nothing" : "something else", httpStatus: 200)
    }

    /// Some providers write null for an absent member.
    private func value(_ member: String) -> JSONValue? {
        guard let value = members[member], value != .null else { return nil }
        return value
    }

    /// A string that has to be there and to be accepted.
    func required<T>(
        _ member: String, or alias: String? = nil, _ expected: String, _ accept: (String) -> T?
    ) throws(AuthStateError) -> T {
        guard let result = try optional(member, or: alias, expected, accept) else { throw refusal(member, expected) }
        return result
    }

    /// A string that has to be accepted when it is there.
    func optional<T>(
        _ member: String, or alias: String? = nil, _ expected: String, _ accept: (String) -> T?
    ) throws(AuthStateError) -> T? {
        guard let found = value(member) ?? alias.flatMap(value) else { return nil }
        guard let result = found.stringValue.flatMap(accept) else { throw refusal(member, expected) }
        return result
    }

    /// The end of the login's time, at most ten years on; a number in a string is taken as the number, as in a token
    /// response.
    func expiry() throws(AuthStateError) -> Date {
        guard let seconds = seconds("expires_in"), seconds > 0 else {
            throw refusal("expires_in", "a positive number of seconds")
        }
        return sentAt.addingTimeInterval(min(seconds, 10 * 365 * 86400))
    }

    /// Seconds, at least one, so that a provider which sends 0 is not asked without a pause.
    func interval() throws(AuthStateError) -> Duration {
        guard value("interval") != nil else { return .seconds(5) }
        guard let seconds = seconds("interval"), seconds >= 0 else { throw refusal("interval", "a number of seconds") }
        return .seconds(min(max(seconds, 1), 86400))
    }

    private func seconds(_ member: String) -> Double? {
        let number = value(member)?.doubleValue ?? value(member)?.stringValue.flatMap(Double.init)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}
