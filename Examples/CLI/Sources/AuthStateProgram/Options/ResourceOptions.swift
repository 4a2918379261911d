import ArgumentParser
import AuthStateKit
import AuthStateOAuth

/// The options of a client that meets the authorization server of an API there.
struct ResourceLinkOptions: ParsableArguments {
    @Option(
        name: .customLong("client-metadata-url"),
        help: ArgumentHelp(
            "For an API: the URL of the client's metadata document, where servers read those; see 'client-metadata'.",
            valueName: "url"))
    var documentURL: String?

    @Flag(
        name: .customLong("allow-private-addresses"),
        help: "Allow an API to lead to addresses of an internal network.")
    var allowsPrivateAddresses = false
}

/// The API that a login is for, and what a client needs that meets the API's authorization server there.
struct ResourceOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Log in for the API at this URL, which names its authorization server (RFC 9728). Instead of --issuer.",
            valueName: "url"))
    var url: String?

    @OptionGroup
    var link: ResourceLinkOptions

    /// The URL of the client's metadata document.
    var documentURL: String? { link.documentURL }
    /// Whether the API may lead to addresses of an internal network.
    var allowsPrivateAddresses: Bool { link.allowsPrivateAddresses }

    func validate() throws {
        if let option = firstGivenWithoutURL { throw ValidationError("\(option) goes with --for.") }
        do { _ = try identifier } catch let error as AuthStateError {
            throw ValidationError("--for: \(error.message) Expected \(error.expected ?? "an https URL").")
        }
    }

    /// The option that makes no sense without `--for`.
    private var firstGivenWithoutURL: String? {
        guard url == nil else { return nil }
        if documentURL != nil { return "--client-metadata-url" }
        return allowsPrivateAddresses ? "--allow-private-addresses" : nil
    }

    /// The resource that the URL names; nil without `--for`.
    var identifier: ResourceIdentifier? { get throws { try url.map { try ResourceIdentifier($0) } } }

    /// Checks the URL of the document without the network.
    func check() throws {
        guard let documentURL, let problem = ClientMetadataDocument.problem(with: documentURL) else { return }
        throw AuthStateError(
            .invalidClientMetadata, stage: .registration, "This cannot be a client's URL: \(problem).",
            received: documentURL.printable(), hint: Self.documentAdvice)
    }

    static let documentAdvice =
        "Give --client-metadata-url an https URL with a path, for example https://app.example/client.json."
}
