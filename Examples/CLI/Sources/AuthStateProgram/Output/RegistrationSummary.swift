import AuthStateKit
import AuthStatePlatform

/// The public part of a registration: everything but the secret and the token that manages it.
struct RegistrationSummary {
    private let registration: RegistrationResponse
    private let issuer: Issuer?

    init(_ registration: RegistrationResponse, issuer: Issuer?) {
        (self.registration, self.issuer) = (registration, issuer)
    }

    /// The registered metadata, as the provider writes them.
    private var metadata: [String: JSONValue] {
        let hidden = ["client_secret", "client_secret_expires_at", "registration_access_token"]
        return registration.metadata.filter { !hidden.contains($0.key) && $0.value != .null }
    }

    private var members: [String: JSONValue] {
        let end = registration.clientSecretExpiresAt
        let known: [String: JSONValue?] = [
            "client_id": .string(registration.clientID),
            "issuer": JSONValue(issuer?.rawValue),
            "token_endpoint_auth_method": registration.tokenEndpointAuthMethod.map { .string($0.rawValue) },
            "has_secret": .bool(registration.clientSecret != nil),
            "client_secret_expires_at": end.map { JSONValue(Int($0.timeIntervalSince1970)) },
            "registration_client_uri": registration.registrationClientURI.map { .string($0.absoluteString) },
        ]
        return metadata.merging(known.compactMapValues { $0 }) { $1 }
    }

    /// One member a line, the client first.
    private var lines: [String] {
        let first = ["client_id", "issuer"]
        let names = first + members.keys.filter { !first.contains($0) }.sorted()
        return names.compactMap { name in members[name].map { "\(name): \($0.line)" } }
    }

    func report(note: String? = nil) -> Report { Report(json: .object(members), lines: lines, note: note) }
}

extension JSONValue {
    /// Text as it is, a list of texts with blanks between them, anything else as JSON.
    fileprivate var line: String {
        if let texts = arrayValue?.map(\.stringValue), !texts.contains(nil) {
            return texts.compactMap(\.self).joined(separator: " ")
        }
        return stringValue ?? String(decoding: serialized(), as: UTF8.self)
    }
}
