import AuthStateKit
import AuthStatePlatform

/// The public part of a state: never a token.
struct StateSummary {
    let record: AuthState.Record
    let now: Date

    /// Whether tokens can be had without a new login: no error, and a token that has not expired or can be renewed.
    var isUsable: Bool {
        guard record.isAuthorized else { return false }
        return canRenew || record.accessTokenExpirationDate.map { $0 > now } ?? true
    }

    /// The same members for `login`, `refresh` and `status`.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "authorized": .bool(isUsable),
            "client_id": JSONValue(clientID),
            "issuer": JSONValue(record.client.provider.issuer?.rawValue),
            "subject": JSONValue(subject),
            "grant": .string(grant),
            "can_renew": .bool(canRenew),
        ]
        members.merge(Self.validity(scope: record.scope, end: record.accessTokenExpirationDate, now: now)) { $1 }
        members["login_expires_at"] = record.loginExpirationDate.map { JSONValue(Int($0.timeIntervalSince1970)) }
        members["authorization_details"] = record.authorizationDetails.map { .array($0.map(\.json)) }
        members["resource"] = record.resource.map(JSONValue.string)
        members["error"] = record.authorizationError?.json
        return .object(members)
    }

    /// Scope and expiry, as every command shows them.
    static func validity(scope: String?, end: Date?, now: Date) -> [String: JSONValue] {
        [
            "scope": JSONValue(scope),
            "expires_at": end.map { JSONValue(Int($0.timeIntervalSince1970)) } ?? .null,
            "expires_in": end.map { JSONValue(max(0, Int($0.timeIntervalSince(now)))) } ?? .null,
        ]
    }

    /// One fact a line.
    var lines: [String] {
        let facts: [(String, String?)] = [
            ("authorized", isUsable ? "yes" : "no"),
            ("resource", record.resource),
            ("issuer", record.client.provider.issuer?.rawValue),
            ("client", clientID),
            ("subject", subject),
            ("scope", record.scope),
            ("details", record.authorizationDetails?.map(\.type).joined(separator: " ")),
            (
                "expires",
                Self.expiry(record.accessTokenExpirationDate, now: now)
                    + (record.needsTokenRefresh && canRenew ? ", renewed at the next use" : "")
            ),
            ("renewable", canRenew ? "yes" : "no"),
            ("login ends", record.loginExpirationDate.map { Self.expiry($0, now: now) }),
        ]
        return facts.compactMap { name, value in value.map { "\(name): \($0)" } }
    }

    /// The expiry of a token for a user.
    static func expiry(_ end: Date?, now: Date) -> String {
        guard let end else { return "unknown" }
        let seconds = Int(end.timeIntervalSince(now).rounded(.down))
        return end.formatted(.iso8601) + (seconds > 0 ? " (in \(seconds) s)" : " (over)")
    }

    /// The client; nil where an assertion alone said who asks.
    private var clientID: String? { record.client.id.isEmpty ? nil : record.client.id }

    private var canRenew: Bool {
        record.authorizationError == nil && (record.refreshToken != nil || record.machineGrant != nil)
    }

    private var grant: String {
        let told = Settings(annotations: record.annotations).grant
        return (told ?? (record.clientCredentials == nil ? .authorizationCode : .clientCredentials)).rawValue
    }

    private var subject: String? {
        guard let token = record.idToken else { return nil }
        return (try? IDToken(parsing: token))?.subject
    }
}
