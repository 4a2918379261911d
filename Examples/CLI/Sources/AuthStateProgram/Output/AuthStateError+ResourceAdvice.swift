import AuthStateKit
import AuthStateOAuth

extension AuthStateError {
    /// The steps from the URL of an API to its answer, each of which may fail for reasons of its own.
    static let resourceSteps: [Stage: String] = [
        .resource: "Asking the API", .resourceMetadata: "Reading the API's metadata",
        .discovery: "Finding its authorization server", .registration: "Being a client there",
        .authorization: "Logging in there", .token: "Fetching tokens", .refresh: "Renewing tokens",
    ]

    /// The advice for a login that begins at an API; nil leaves the general one.
    ///
    /// - Parameter resource: The API of the login; nil for a login that began at a provider.
    func resourceAdvice(for resource: String?) -> String? {
        switch code {
        case .resourceMismatch: otherResource
        case .clientIssuerMismatch where stage == .authorization:
            "Give --issuer with the server that the API names, and --assertion-file with an assertion for that server."
        case .clientIssuerMismatch: Self.otherServer
        case .invalidArgument where hint?.hasPrefix("Name the issuer") == true:
            "Give --issuer with the API's authorization server, or keep the login where there is room: without --state."
        case .addressNotAllowed:
            "Do not trust an API that leads there; for one of your own network log in with --allow-private-addresses."
        case .endpointMissing where stage == .registration: noWay
        case .notLoggedIn where challenge?.resourceMetadata != nil:
            "Log in with 'authstate login --for', and the URL of the API."
        case .issuerMismatch where resource != nil:
            "The API's metadata and those of its authorization server disagree: ask the API's operator."
        case .browserUnavailable where resource != nil && stage == .authorization:
            "Log in in a terminal with 'authstate login --paste' to copy the address by hand, or use a --browser-command that "
                + "works here, or --grant device where the server has that."
        case .endpointMissing where expected == "device_authorization_endpoint" && resource != nil:
            "Leave out --grant device; without a browser here log in in a terminal with 'authstate login --paste', to copy the "
                + "address by hand."
        case .invalidMetadata where hint?.hasPrefix("Log in by the issuer") == true:
            "Log in with --issuer and the authorization server that the API's operator names."
        case .discoveryFailed where hint?.hasPrefix("Ask the operator of the resource") == true:
            "Ask the API's operator: the API names an authorization server that has no metadata (RFC 8414)."
        case .discoveryFailed where resource != nil:
            "Check the URL after --for; an API without metadata (RFC 9728) needs a login with --issuer."
        case .invalidClientMetadata where hint?.contains("client-id-metadata-document") == true:
            "Correct --client-metadata-url, or the options of 'authstate client-metadata'."
        case .pkceUnsupported where resource != nil:
            "Ask the operator of the authorization server; if you trust it, log in with --issuer instead of --for."
        case .insufficientScope where resource != nil: moreRights
        case .invalidTarget where resource != nil, .invalidRequest where resource != nil && refusesResource:
            "Check the URL after --for. If the server takes no parameter resource, log in with --tolerate unnamed-resource; the "
                + "token may then serve at other APIs of the server, too. Or log in with --issuer and --client-id."
        // The origin is wrong, not the transport, which has a hint of its own.
        case .insecureURL where hint?.contains("allowedOrigins") == true:
            "This login is for one API; for another one log in with --for and another --profile."
        case _ where resource != nil && stage == .refresh && kind == .transient:
            "Try again later; if the API has another authorization server by now, log in again with 'authstate login'."
        default: nil
        }
    }

    /// Whether the server names the parameter that it refuses.
    private var refusesResource: Bool { response?.errorDescription?.contains("resource") == true }

    /// Another name at the same server can be used; a server that takes another one's name cannot be trusted.
    private var otherResource: String {
        guard let named = received.flatMap({ try? ResourceIdentifier($0) }),
            let asked = expected.flatMap({ try? ResourceIdentifier($0) }), named.origin == asked.origin
        else { return "Check the URL after --for. Do not log in at an API that takes the name of another server." }
        return "Give --for the name that the API has, \(named); if it stands for a path above the URL, --tolerate "
            + "parent-resource does too."
    }

    private static let otherServer =
        "Register a client at the server that the API names now, and give it with --client-id and --issuer; or use "
        + "--register, where that server offers it."

    /// The advice when the program has no way to be a client of the authorization server; other hints are kept.
    private var noWay: String? {
        guard let expected, expected.hasPrefix("a client registered by hand") else { return nil }
        return "Register a client there and give it with --client-id"
            + (expected.contains("metadata document") ? ", or give --client-metadata-url" : "")
            + (expected.contains("permission to register") ? ", or --register" : "") + "."
    }

    /// The advice when the token does not allow a request; logins for more rights may have been tried.
    private var moreRights: String {
        if let hint, hint.hasPrefix("Ask the operator of the resource") { return hint }
        return
            "Repeat the request with --step-up, or log in again with 'authstate login --scope', asking for the scope "
            + "that is needed."
    }
}
