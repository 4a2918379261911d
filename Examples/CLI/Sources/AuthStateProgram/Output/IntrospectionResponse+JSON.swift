import AuthStateKit
import AuthStatePlatform

extension IntrospectionResponse {
    /// The members of the answer (RFC 7662, section 2.2); absent ones are left out.
    var members: [String: JSONValue] {
        func seconds(_ date: Date?) -> JSONValue? { date.map { JSONValue(Int($0.timeIntervalSince1970)) } }
        let named: [String: JSONValue?] = [
            "active": .bool(isActive),
            "scope": scope.map(JSONValue.string),
            "client_id": clientID.map(JSONValue.string),
            "username": username.map(JSONValue.string),
            "token_type": tokenType.map(JSONValue.string),
            "exp": seconds(expirationDate),
            "iat": seconds(issuedAt),
            "nbf": seconds(notBefore),
            "sub": subject.map(JSONValue.string),
            "aud": audience.isEmpty ? nil : .array(audience.map(JSONValue.string)),
            "iss": issuer.map(JSONValue.string),
            "jti": tokenID.map(JSONValue.string),
        ]
        return additionalMembers.merging(named.compactMapValues { $0 }) { $1 }
    }
}
