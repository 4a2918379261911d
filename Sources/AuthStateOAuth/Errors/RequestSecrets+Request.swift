import AuthStateFoundation
import AuthStateJOSE

extension TransportRequest {
    /// Runs a body that reads this request's answer; an error of the library that it throws repeats no secret of the request.
    ///
    /// `AuthorizationService` and `AuthState` do so with every answer. Use it in a program that sends requests itself
    /// and reads the answers with `RevocationRequest.validate(_:)` and the like.
    ///
    /// - Throws: The errors of the body.
    public func hidingSecrets<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as AuthStateError { throw RequestSecrets(self).hiding(error) }
    }
}

extension RequestSecrets {
    /// The secrets of a request as it goes out: the values of headers that authenticate, and of the parameters that are
    /// secret by their name, in the query, the form or the JSON document.
    package init(_ request: TransportRequest) {
        var (secrets, wholes): ([String], [String]) = ([], [])
        for field in request.headers {
            switch field.name.lowercased() {
            case "authorization", "proxy-authorization":
                secrets += Self.credentials(field.value)
                wholes += Self.pairs(field.value)
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
            switch request.headers["Content-Type"]?.prefix(while: { $0 != ";" }).lowercased() {
            case "application/x-www-form-urlencoded": secrets += Self.values(text)
            case "application/json":
                let members = (try? JSONValue(parsing: [UInt8](body)))?.objectValue ?? [:]
                secrets += members.filter { Self.names.contains($0.key) }.compactMap(\.value.stringValue)
            default: break
            }
        }
        self.init(secrets, wholes: wholes)
    }

    /// The values of `Authorization`: the credentials as a whole, and of Basic the secret behind the identifier, as it was
    /// sent and as the program knows it.
    private static func credentials(_ value: String) -> [String] {
        let credentials = value.firstIndex(of: " ").map { String(value[$0...].drop { $0 == " " }) } ?? value
        guard let (_, secret) = basic(value) else { return [credentials] }
        return [credentials, secret, PercentEncoding.decode(secret[...]) ?? secret]
    }

    /// Identifier and secret of Basic, as they were sent and as the program knows them. The identifier is no secret.
    private static func pairs(_ value: String) -> [String] {
        guard let (identifier, secret) = basic(value) else { return [] }
        let decoded = [identifier, secret].map { PercentEncoding.decode($0[...]) ?? $0 }
        return ["\(identifier):\(secret)", decoded.joined(separator: ":")]
    }

    package static func basic(_ value: String) -> (identifier: String, secret: String)? {
        guard let space = value.firstIndex(of: " "), value[..<space].lowercased() == "basic",
            let bytes = Base64.decode(String(value[space...].drop { $0 == " " })),
            let pair = String(strictUTF8: bytes), let colon = pair.firstIndex(of: ":")
        else { return nil }
        return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }

    private static func values(_ text: some StringProtocol) -> [String] {
        guard let parameters = Parameters(decoding: text) else { return [] }
        return parameters.names.filter(names.contains).flatMap(parameters.values)
    }

    /// The parameters whose values let their holder act for the client or the user, or prove the client's identity.
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
