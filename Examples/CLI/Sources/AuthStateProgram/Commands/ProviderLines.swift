import AuthStateKit
import AuthStatePlatform
import AuthStateTesting

/// Files of users and clients: one JSON object a line; empty lines, and lines that begin with `#`, are left out.
enum ProviderLines {
    /// A line that cannot be used.
    struct Fault: Error {
        let expected: String
        var received: String?
    }

    /// Reads a file.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`, which names the line.
    static func read<Item>(
        _ path: String, _ kind: String, _ make: ([String: JSONValue]) throws(Fault) -> Item
    ) throws -> [Item] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The file of \(kind) cannot be read.", received: path,
                hint: "Check the name after --\(kind), and the file's permissions.")
        }
        let text = String(decoding: data, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let items = try lines.enumerated().compactMap { number, line -> Item? in
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { return nil }
            do throws(Fault) {
                guard let members = (try? JSONValue(parsing: Array(line.utf8)))?.objectValue else {
                    throw Fault(expected: "a JSON object, with double quotes and no comma at its end")
                }
                return try make(members)
            } catch {
                throw AuthStateError(
                    .invalidArgument, stage: .usage, "Line \(number + 1) of \(path) is not valid.",
                    expected: error.expected, received: error.received, hint: "Correct the line.")
            }
        }
        guard !items.isEmpty else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The file of \(kind) is empty.", received: path,
                hint: "Write one JSON object a line.")
        }
        return items
    }
}

extension [String: JSONValue] {
    /// The text of a member; nil where it is missing.
    fileprivate func text(_ name: String) throws(ProviderLines.Fault) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let text = value.stringValue, !text.isEmpty else {
            throw ProviderLines.Fault(expected: "\(name) as a string that is not empty")
        }
        return text
    }

    fileprivate func required(_ name: String) throws(ProviderLines.Fault) -> String {
        guard let text = try text(name) else {
            throw ProviderLines.Fault(
                expected: "the member \(name)", received: keys.sorted().map { $0.printable(40) }.joined(separator: ", ")
            )
        }
        return text
    }

    fileprivate func texts(_ name: String) throws(ProviderLines.Fault) -> [String]? {
        guard let value = self[name], value != .null else { return nil }
        guard let items = value.arrayValue, case let texts = items.compactMap(\.stringValue), texts.count == items.count
        else {
            throw ProviderLines.Fault(expected: "\(name) as a list of strings")
        }
        return texts
    }

    /// Refuses a member that would have no effect.
    fileprivate func check(_ known: [String]) throws(ProviderLines.Fault) {
        if let other = keys.sorted().first(where: { !known.contains($0) }) {
            throw ProviderLines.Fault(
                expected: "only the members \(known.joined(separator: ", "))", received: other.printable(40))
        }
    }
}

extension OpenIDProvider.User {
    /// Makes a user of a line; without `sub` the name is the subject.
    init(line: [String: JSONValue]) throws(ProviderLines.Fault) {
        try line.check(["name", "password", "sub", "claims"])
        let name = try line.required("name")
        self.init(subject: try line.text("sub") ?? name, name: name, password: try line.required("password"))
        guard let claims = line["claims"] else { return }
        guard let members = claims.objectValue else { throw ProviderLines.Fault(expected: "claims as a JSON object") }
        self.claims = members
    }
}

extension OpenIDProvider.Client {
    /// Makes a client of a line with the members of its registration.
    init(line: [String: JSONValue]) throws(ProviderLines.Fault) {
        try line.check([
            "client_id", "client_secret", "redirect_uris", "post_logout_redirect_uris", "grant_types", "jwks",
            "token_endpoint_auth_method", "backchannel_logout_uri", "frontchannel_logout_uri",
            "id_token_signed_response_alg",
        ])
        self.init(id: try line.required("client_id"), secret: try line.text("client_secret"))
        if let uris = try line.texts("redirect_uris") {
            if let wrong = uris.first(where: { (try? RedirectURI($0)) == nil }) {
                throw ProviderLines.Fault(expected: "absolute URIs without a fragment", received: wrong.printable())
            }
            redirectURIs = uris
        }
        postLogoutRedirectURIs = try line.texts("post_logout_redirect_uris")
        if let types = try line.texts("grant_types") { grantTypes = Set(types.map(GrantType.init(rawValue:))) }
        if let set = line["jwks"] {
            guard let known = try? JSONWebKeySet(json: set).keys, !known.isEmpty else {
                throw ProviderLines.Fault(expected: "jwks as a key set (RFC 7517)")
            }
            keys = known
        }
        authenticationMethod = try line.text("token_endpoint_auth_method").map(
            ClientAuthenticationMethod.init(rawValue:))
        if let name = try line.text("id_token_signed_response_alg") {
            guard let known = try? SignatureAlgorithm.offered(name) else {
                throw ProviderLines.Fault(
                    expected: "id_token_signed_response_alg as one of "
                        + Provider.algorithms.map(\.rawValue).joined(separator: ", "), received: name.printable(40))
            }
            idTokenAlgorithm = known
        }
        backChannelLogoutURI = try line.text("backchannel_logout_uri")
        frontChannelLogoutURI = try line.text("frontchannel_logout_uri")
    }
}
