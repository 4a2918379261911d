import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One line of a screen: a name and its value.
struct Fact: Identifiable, Hashable, Sendable {
    let name: String
    let value: String
    var id: Self { self }

    /// Claims by name, without those that only secure the login.
    static func list(_ claims: [String: JSONValue]) -> [Fact] {
        claims.sorted { $0.key < $1.key }.filter { !["nonce", "at_hash", "c_hash", "s_hash"].contains($0.key) }
            .map { Fact(name: $0.key, value: $0.value.shown(asTime: times.contains($0.key))) }
    }

    private static let times: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at"]
}

extension AuthState.Record {
    /// The public part of the tokens: kind, scope and expiry, never a token.
    var tokenFacts: [Fact] {
        let facts: [(String, String?)] = [
            ("Provider", client.provider.issuer?.rawValue),
            ("Client", client.id),
            ("Token type", lastTokenResponse?.tokenType),
            ("Scope", scope),
            ("Expires", accessTokenExpirationDate?.formatted(.iso8601)),
            ("Renewable", refreshToken == nil ? "no" : "yes"),
            ("ID token verified by", idTokenTrust?.rawValue),
        ]
        return facts.compactMap { name, value in value.map { Fact(name: name, value: $0) } }
    }
}

extension JSONValue {
    /// For a user: texts without quotation marks, lists with commas, times as dates.
    func shown(asTime isTime: Bool) -> String {
        if isTime, let seconds = doubleValue, abs(seconds) < 1e11 {
            return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        }
        if let list = arrayValue { return list.map { $0.shown(asTime: false) }.joined(separator: ", ") }
        return stringValue ?? String(decoding: serialized(), as: UTF8.self)
    }
}
