public import AuthStateFoundation

extension AuthenticationChallenge {
    /// `resource_metadata`: where the resource's metadata are (RFC 9728, section 5.1); nil unless it is an http(s) URL.
    public var resourceMetadata: URL? { parameters["resource_metadata"].flatMap(ProviderMetadata.endpoint) }

    /// The scopes of `scope` that give access, in order; those with characters that no scope has are left out.
    public var scopes: [Scope] {
        (scope ?? "").split(separator: " ").map { Scope(rawValue: String($0)) }.filter(\.isValid)
    }

    /// Returns the challenge that a client with access tokens can answer: of scheme Bearer or DPoP, first one that names the
    /// resource's metadata; nil when there is none.
    public static func answerable(in challenges: [AuthenticationChallenge]) -> AuthenticationChallenge? {
        let ours = challenges.filter { $0.hasScheme("Bearer") || $0.hasScheme("DPoP") }
        return ours.first { $0.resourceMetadata != nil } ?? ours.first
    }
}
