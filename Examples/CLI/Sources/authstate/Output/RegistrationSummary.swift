import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What may be shown of a registration: neither the secret nor the token that manages it.
struct RegistrationSummary {
    let registration: RegistrationResponse
    let issuer: Issuer?

    var json: JSONValue {
        let end = registration.clientSecretExpiresAt
        return JSONValue(known: [
            "client_id": .string(registration.clientID),
            "issuer": JSONValue(issuer?.rawValue),
            "token_endpoint_auth_method": registration.tokenEndpointAuthMethod.map { .string($0.rawValue) },
            "has_secret": .bool(registration.clientSecret != nil),
            "client_secret_expires_at": end.map { JSONValue(Int($0.timeIntervalSince1970)) },
            "redirect_uris": registration.metadata["redirect_uris"],
            "registration_client_uri": registration.registrationClientURI.map { .string($0.absoluteString) },
        ])
    }

    /// One fact a line.
    var lines: [String] {
        let facts: [(String, String?)] = [
            ("client", registration.clientID),
            ("issuer", issuer?.rawValue),
            ("authentication", registration.tokenEndpointAuthMethod?.rawValue),
            ("secret", registration.clientSecret == nil ? "none" : "kept here"),
        ]
        return facts.compactMap { name, value in value.map { "\(name): \($0)" } }
    }
}
