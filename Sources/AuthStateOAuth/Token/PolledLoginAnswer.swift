import AuthStateFoundation
import AuthStateJOSE

/// The answer that begins a login which a user confirms elsewhere, its members each read in the one way that is right
/// for it (RFC 8628, section 3.2; OpenID Connect CIBA Core 1.0, section 7.3).
struct PolledLoginAnswer {
    private let name: String
    private let members: AnswerMembers
    private let sentAt: Date

    /// Reads an answer to a request that was sent at `sentAt`; throws the provider's refusal.
    init(
        _ response: TransportResponse, of name: String, tolerating tolerances: Set<Tolerance>, sentAt: Date
    ) throws(AuthStateError) {
        let json = response.tokenDocument(tolerating: tolerances)
        if let error = OAuthErrorResponse(json, tolerating: tolerances) {
            throw .refusal(by: "\(name) endpoint", error, response, stage: .authorization, now: sentAt)
        }
        guard response.isSuccess(200) else {
            throw .endpoint("\(name) endpoint", response, stage: .authorization, now: sentAt)
        }
        guard let members = (json?.objectValue).map(AnswerMembers.init) else {
            throw .noObject("\(name) endpoint", response, stage: .authorization, mayBeForm: true)
        }
        (self.name, self.members, self.sentAt) = (name, members, sentAt)
        guard !members.isError else { throw refusal("error", "no error") }
    }

    private func refusal(_ member: String, _ expected: String) -> AuthStateError {
        AuthStateError(
            .malformedResponse, stage: .authorization, "The \(name) response's \(member) cannot be used.",
            expected: expected, received: members[member] == nil ? "nothing" : "something else", httpStatus: 200)
    }

    /// A string that has to be there and to be accepted.
    func required<T>(
        _ member: String, or alias: String? = nil, _ expected: String, _ accept: (String) -> T?
    ) throws(AuthStateError) -> T {
        guard let result = optional(member, or: alias, accept) else { throw refusal(member, expected) }
        return result
    }

    /// A string that is absent when it is not accepted.
    func optional<T>(_ member: String, or alias: String? = nil, _ accept: (String) -> T?) -> T? {
        members.text(member, accept) ?? alias.flatMap { members.text($0, accept) }
    }

    /// A name, which may be a number.
    func name<T>(_ member: String, _ expected: String, _ accept: (String) -> T?) throws(AuthStateError) -> T {
        guard let result = members.name(member).flatMap(accept) else { throw refusal(member, expected) }
        return result
    }

    /// The end of the login's time, at most ten years on.
    func expiry() throws(AuthStateError) -> Date {
        guard let seconds = members.number("expires_in"), seconds > 0 else {
            throw refusal("expires_in", "a positive number of seconds")
        }
        return sentAt.addingTimeInterval(min(seconds, 10 * 365 * 86400))
    }

    /// Seconds, five when the answer does not say, and at least one: a provider that sends 0 is not asked without a
    /// pause. One that leaves no time to ask at all was meant in another unit, or not thought of.
    func interval() -> Duration {
        let (interval, lifetime) = (max(members.number("interval") ?? 5, 1), members.number("expires_in") ?? .infinity)
        return .seconds(min(interval < lifetime ? interval : min(5, lifetime / 2), 86400))
    }
}
