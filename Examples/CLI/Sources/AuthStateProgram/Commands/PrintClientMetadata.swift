import ArgumentParser
import AuthStateKit
import AuthStateOAuth

/// Prints the document that makes a URL a client's identifier.
struct PrintClientMetadata: Command {
    static let configuration = CommandConfiguration(
        commandName: "client-metadata", _superCommandName: "authstate",
        abstract: "Print the client's metadata document, to be hosted at a URL that is then its identifier.",
        usage: "authstate client-metadata --client-metadata-url <url> --redirect-uri <uri> [<options>]",
        discussion: """
            Authorization servers that read such documents need no registration. The document is checked as they check \
            it; no request is sent.

            A client without a secret, for logins in the browser:
              authstate client-metadata --client-metadata-url https://app.example/client.json --redirect-uri \
            http://127.0.0.1/callback --client-name "Example"

            A client that proves a key, of which the document has the public part:
              authstate client-metadata --client-metadata-url https://app.example/job.json --grant client-credentials \
            --client-name "Nightly job" --private-key key.pem --key-id job-1
            """)
    static let stage = AuthStateError.Stage.registration

    @Option(
        name: .customLong("client-metadata-url"),
        help: ArgumentHelp("Where the document will be: an https URL with a path.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The client's name as users see it. Default: authstate.", valueName: "name"))
    var clientName: String?

    @OptionGroup
    var client: RegisteredClientOptions

    @OptionGroup
    var key: KeyOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    private var grants: [RegisteredGrant] { client.grants }

    func validate() throws {
        if let method = key.authMethod, method != .none, method != .privateKeyJWT {
            throw ValidationError(
                "--auth-method \(method.rawValue) is not for clients with a public document: use none or "
                    + "private-key-jwt.")
        }
        if key.authMethod == KeyOptions.AuthMethod.none, key.privateKey != nil {
            throw ValidationError("--auth-method none goes without --private-key.")
        }
        let namesRedirect = client.metadata.contains { $0.name == "redirect_uris" }
        if client.hasPage, client.redirectURIs.isEmpty, !namesRedirect {
            throw ValidationError(
                "Name where answers may go with --redirect-uri, for example http://127.0.0.1/callback.")
        }
        if grants.contains(.login(.clientCredentials)), key.privateKey == nil {
            throw ValidationError("--grant client-credentials needs --private-key.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let document = try ClientMetadataDocument(url: url, try metadata())
        let note = """
            Host this document at \(url.printable()), as application/json and without redirects.
            Then log in with 'authstate login --for URL --client-metadata-url \(url.printable())\(loginOptions)'.
            """
        return Report(json: document.json, data: document.json.printed + [0x0A], note: note)
    }

    /// The options that the login needs besides.
    private var loginOptions: String {
        let keyID = key.keyID.map { " --key-id \($0)" } ?? ""
        return (key.privateKey.map { " --private-key \($0)" + keyID } ?? "")
            + (client.hasPage ? "" : grants.lazy.compactMap(\.login).first.map { " --grant \($0.rawValue)" } ?? "")
    }

    private func metadata() throws -> ClientMetadata {
        var metadata = ClientMetadata()
        metadata.clientName = clientName ?? RegistrationOptions.standardName
        try metadata.prepare(for: grants, key: key)
        let uris = try client.redirectURIs.map(RedirectURI.init)
        let isForTheWeb = !uris.isEmpty && uris.allSatisfy { $0.rawValue.hasPrefix("https://") && !$0.isLoopback }
        metadata.applicationType = isForTheWeb ? "web" : "native"
        try client.apply(to: &metadata)
        // A logout needs no page of the program, unless --metadata names one.
        let namesReturn = client.metadata.contains { $0.name == "post_logout_redirect_uris" }
        if !namesReturn { metadata.postLogoutRedirectURIs = [] }
        return metadata
    }
}
