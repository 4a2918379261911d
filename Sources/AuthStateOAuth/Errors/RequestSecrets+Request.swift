import AuthStateJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TransportRequest {
    /// Runs a body that reads this request's answer; an error of the library that it throws repeats no secret of the request.
    ///
    /// `AuthorizationService` and `AuthState` do so with every answer. It is for a program that sends requests itself and
    /// reads the answers with `RevocationRequest.validate(_:)` and the like.
    ///
    /// - Throws: What the body throws.
    public func hidingSecrets<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as AuthStateError { throw RequestSecrets(self).hiding(error) }
    }
}

extension RequestSecrets {
    /// The secrets of a request as it goes out: the values of headers that authenticate, and of the parameters that are
    /// secret by their name, in the query, the form or the JSON document.
    package init(_ request: TransportRequest) {
        var secrets: [String] = []
        for field in request.headers {
            switch field.name.lowercased() {
            case "authorization", "proxy-authorization": secrets += Self.credentials(field.value)
            case "cookie":
                secrets += field.value.split(separator: ";").compactMap { pair in
                    pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
                }
            case "dpop", "x-api-key": secrets.append(field.value)
            default: break
            }
        }
        secrets += Self.values(URIReference(request.url.absoluteString).query ?? "")
        if let body = request.body, let text = String(strictUTF8: [UInt8](body)) {
            switch request.headers.first("Content-Type")?.prefix(while: { $0 != ";" }).lowercased() {
            case "application/x-www-form-urlencoded": secrets += Self.values(text)
            case "application/json":
                let members = (try? JSONValue(parsing: [UInt8](body)))?.objectValue ?? [:]
                secrets += members.filter { Self.names.contains($0.key) }.compactMap(\.value.stringValue)
            default: break
            }
        }
        self.init(secrets)
    }

    /// The values of `Authorization`: the credentials as a whole, and of Basic the secret behind the identifier, as it was
    /// sent and as the program knows it.
    private static func credentials(_ value: String) -> [String] {
        guard let space = value.firstIndex(of: " ") else { return [value] }
        let credentials = String(value[space...].drop { $0 == " " })
        guard value[..<space].lowercased() == "basic", let bytes = Base64.decode(credentials),
            let pair = String(strictUTF8: bytes), let colon = pair.firstIndex(of: ":")
        else { return [credentials] }
        let sent = pair[pair.index(after: colon)...]
        let secret = PercentEncoding.decode(sent) ?? String(sent)
        let identifier = PercentEncoding.decode(pair[..<colon]) ?? String(pair[..<colon])
        return [credentials, pair, String(sent), secret, "\(identifier):\(secret)"]
    }

    private static func values(_ text: some StringProtocol) -> [String] {
        guard let parameters = Parameters(decoding: text) else { return [] }
        return parameters.names.filter(names.contains).flatMap(parameters.values)
    }

    /// The parameters whose values let their holder act for the client or the user, or prove who asks.
    private static let names: Set<String> = [
        // RFC 6749, 6750, 7636 and 9101; OpenID Connect Core and RP-Initiated Logout
        "access_token", "client_secret", "code", "code_verifier", "id_token", "id_token_hint", "nonce", "password",
        "refresh_token", "request", "state",
        // RFC 7009 and 7662; RFC 7521; RFC 8628; RFC 8693
        "token", "assertion", "client_assertion", "device_code", "actor_token", "subject_token",
        // CIBA Core
        "auth_req_id", "client_notification_token", "login_hint", "login_hint_token", "user_code",
        // RFC 7591 and 7592
        "registration_access_token", "software_statement",
    ]
}
