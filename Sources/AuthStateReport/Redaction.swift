import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// A member of a request or an answer as a report shows it.
struct ReportedMember: Sendable {
    let name: String
    /// The value, or the mark of a secret one.
    let value: String
    let isMark: Bool
}

/// Decides which values are shown. A value is shown only where its name is known to be harmless; every other one is marked.
struct Redaction {
    /// What a message is about.
    enum Subject {
        /// A request to a provider, or its answer.
        case provider
        /// The metadata of a provider or a resource, which are public.
        case metadata
        /// A request to a provider with an access token, or its answer: claims about the user.
        case claims
        /// A request to an API, or its answer: the user's own data.
        case api
    }

    /// The secrets of the request, short ones among them; an answer may repeat them.
    let secrets: RequestSecrets
    /// Marks a value; a secret one is hidden wherever else it occurs.
    let mark: (_ value: String, _ isSecret: Bool) -> String

    private static let limit = 200

    /// Members of answers and registrations that are neither secret nor about the user.
    private static let harmlessMembers: Set<String> = LoginTrace.Detail.harmless.union([
        "active", "application_type", "client_assertion_type", "client_id_issued_at", "client_name",
        "client_secret_expires_at", "expires_in", "grant_types", "interval", "issued_token_type",
        "post_logout_redirect_uris", "redirect_uris", "refresh_expires_in", "requested_token_type", "response_types",
        "subject_token_type", "token_endpoint_auth_method", "token_type", "token_type_hint", "verification_uri",
    ])

    /// Members of answers that let their holder act.
    private static let credentials: Set<String> = [
        "access_token", "auth_req_id", "client_secret", "device_code", "id_token", "refresh_token",
        "registration_access_token", "user_code",
    ]

    private static let harmlessHeaders: Set<String> = [
        "accept", "age", "allow", "cache-control", "connection", "content-encoding", "content-length", "content-type",
        "date",
        "expires", "last-modified", "pragma", "retry-after", "server", "user-agent", "vary",
    ]

    private static let secretHeaders: Set<String> = ["cookie", "set-cookie", "x-api-key"]

    /// The parameters of a challenge that explain a refusal.
    private static let explaining: Set<String> = [
        "acr_values", "algs", "error", "error_description", "error_uri", "max_age", "realm", "resource_metadata",
        "scope",
    ]

    /// Whether a member of a metadata document is one that specifications know.
    private static func isOfMetadata(_ name: String) -> Bool {
        ["issuer", "resource", "resource_name", "authorization_servers", "service_documentation"].contains(name)
            || ["_endpoint", "_uri", "_supported"].contains(where: name.hasSuffix)
            || ["require_", "tls_client_certificate_", "dpop_bound_"].contains(where: name.hasPrefix)
    }

    func member(_ name: String, _ value: String, isShown: Bool, isSecret: Bool = false) -> ReportedMember {
        let name = secrets.hiding(foreign: name).printable(60)
        // A resource may be a user's address.
        let isPersonal = value.contains("@") && ["resource", "audience"].contains(name)
        guard isShown, !isPersonal else {
            return ReportedMember(name: name, value: mark(value, isSecret || isPersonal), isMark: true)
        }
        return ReportedMember(name: name, value: secrets.hiding(foreign: value).printable(300), isMark: false)
    }

    /// The parameters of a query or a form; a word without a name may be a secret.
    func parameters(_ text: String, of subject: Subject) -> [ReportedMember] {
        let parts = text.split(separator: "&")
        let members = parts.flatMap { part -> [ReportedMember] in
            guard part.contains("="), let parameters = Parameters(decoding: part) else {
                return [member("a word", String(part), isShown: false, isSecret: true)]
            }
            return parameters.names.flatMap { name in
                parameters.values(name).map { value in
                    member(
                        name, value, isShown: subject != .api && Self.harmlessMembers.contains(name),
                        isSecret: subject != .api)
                }
            }
        }
        return cut(members)
    }

    func headers(_ headers: TransportHeaders) -> [ReportedMember] {
        cut(
            headers.map { field in
                let name = field.name.lowercased()
                switch name {
                case "authorization", "proxy-authorization":
                    // The scheme, and the mark that a token has everywhere else.
                    let proof = proof(field).map { "\($0.scheme) \($0.mark)" }
                    return ReportedMember(name: field.name, value: proof ?? mark(field.value, true), isMark: true)
                case "www-authenticate":
                    return ReportedMember(
                        name: field.name, value: secrets.hiding(foreign: challenges(field.value)).printable(300),
                        isMark: false)
                case "location": return member(field.name, URIReference(field.value).redacted, isShown: true)
                default:
                    return member(
                        field.name, field.value, isShown: Self.harmlessHeaders.contains(name),
                        isSecret: Self.secretHeaders.contains(name))
                }
            })
    }

    /// The schemes of challenges, and the parameters that explain a refusal; others may be tickets.
    private func challenges(_ line: String) -> String {
        guard let challenges = AuthenticationChallenge.parse([line]) else { return "\(line.count) characters" }
        return challenges.map { challenge in
            let parameters = challenge.parameters.filter { Self.explaining.contains($0.key) }.sorted { $0.key < $1.key }
            return ([challenge.scheme] + [parameters.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ", ")])
                .filter { !$0.isEmpty }.joined(separator: " ")
        }.joined(separator: ", ")
    }

    /// What a request proves the client or the user with.
    func proofs(_ headers: TransportHeaders) -> [ReportedMember] {
        headers.compactMap { field in
            switch field.name.lowercased() {
            case "authorization":
                proof(field).map { ReportedMember(name: "Authorization: \($0.scheme)", value: $0.mark, isMark: true) }
            // One for each request would take the room of the secrets that last.
            case "dpop": member("DPoP", field.value, isShown: false)
            case "cookie": member("Cookie", field.value, isShown: false, isSecret: true)
            default: nil
            }
        }
    }

    /// The scheme of a proof, and the mark of its secret as the program knows it.
    private func proof(_ field: TransportHeaders.Field) -> (scheme: String, mark: String)? {
        let scheme = field.value.prefix { $0 != " " }
        let credentials = String(field.value[scheme.endIndex...].drop { $0 == " " })
        guard !credentials.isEmpty else { return nil }
        let whole = mark(credentials, true)
        guard let secret = RequestSecrets.basic(field.value)?.secret else {
            return (String(scheme).printable(20), whole)
        }
        return (String(scheme).printable(20), mark(PercentEncoding.decode(secret[...]) ?? secret, true))
    }

    /// The members of a form or a JSON document; of everything else the size, and of an API's data too, but for its errors.
    func body(_ bytes: [UInt8], _ type: String, of subject: Subject) -> [ReportedMember] {
        guard !bytes.isEmpty else { return [] }
        let size = ReportedMember(name: "body", value: "\(bytes.count) bytes, \(type.printable(60))", isMark: false)
        if type.lowercased().hasPrefix("application/x-www-form-urlencoded"), subject != .api {
            return parameters(String(decoding: bytes, as: UTF8.self), of: subject)
        }
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue else { return [size] }
        if subject == .api {
            return [size]
                + ["error", "error_description"].compactMap { name in
                    members[name]?.stringValue.map { member(name, $0, isShown: true) }
                }
        }
        return cut(
            members.sorted { $0.key < $1.key }.map { name, value in
                if name == "keys", let keys = value.arrayValue {
                    let names = keys.map { "\($0["kid"]?.stringValue ?? "no kid") (\($0["kty"]?.stringValue ?? "?"))" }
                    return member(name, "\(keys.count): \(names.joined(separator: ", "))", isShown: true)
                }
                let text = value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
                let isShown = subject == .metadata ? Self.isOfMetadata(name) : Self.harmlessMembers.contains(name)
                // An address is told without its query: it may be the one of a registration.
                if name == "registration_client_uri" { return member(name, URIReference(text).redacted, isShown: true) }
                // A claim about the user is hidden elsewhere too.
                return member(
                    name, text, isShown: isShown,
                    isSecret: Self.credentials.contains(name) || subject == .claims && value.stringValue != nil)
            })
    }

    private func cut(_ members: [ReportedMember]) -> [ReportedMember] {
        guard members.count > Self.limit else { return members }
        let rest = ReportedMember(name: "more", value: "\(members.count - Self.limit) members", isMark: false)
        return members.prefix(Self.limit) + [rest]
    }
}
