import ArgumentParser
import AuthStateKit

/// The tokens to ask for.
struct TokenOptions: ParsableArguments {
    /// The grant by which the tokens are requested.
    enum Grant: String, ExpressibleByArgument, CaseIterable {
        case authorizationCode = "authorization-code"
        case device, ciba
        case clientCredentials = "client-credentials"
        case jwtBearer = "jwt-bearer"

        /// The grant's name in the protocol.
        var type: GrantType {
            switch self {
            case .authorizationCode: .authorizationCode
            case .device: .deviceCode
            case .ciba: .ciba
            case .clientCredentials: .clientCredentials
            case .jwtBearer: .jwtBearer
            }
        }

        /// Whether a user logs in.
        var isPersonal: Bool { self == .authorizationCode || self == .device || self == .ciba }
    }

    @Option(
        name: .customLong("grant"),
        help: ArgumentHelp(
            "How to get the tokens: a user logs in in the browser here, or on another device, or confirms where the "
                + "provider asks them (ciba); or the client gets tokens of its own, by its credential or by "
                + "assertions, which --private-key or another party signs. Default: authorization-code; for an API the "
                + "way of the stored login."))
    var namedGrant: Grant?

    /// The grant by which the tokens are requested.
    var grant: Grant { namedGrant ?? .authorizationCode }

    @Option(
        help: ArgumentHelp(
            "The subject of the token, with --grant jwt-bearer. Default: the client's own.", valueName: "name"))
    var subject: String?

    @Option(help: "What to ask for, in quotes. Default for a user: openid; with --for what the API asks for.")
    var scope: String?

    @Option(help: ArgumentHelp("A resource to get tokens for (RFC 8707); may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(
        name: .customLong("authorization-details"),
        help: ArgumentHelp("The access in detail (RFC 9396): a JSON list of objects with a type.", valueName: "json"),
        transform: JSONOption.details)
    var authorizationDetails: [AuthorizationDetail]?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("One more request parameter; may be repeated.", valueName: "name=value"))
    var parameters: [NamedValue] = []

    @Flag(
        name: .customLong("dpop"),
        help: "Bind the tokens to a new key (DPoP, RFC 9449), which is kept here; later commands prove it.")
    var isBound = false

    @Option(
        name: .customLong("dpop-key"),
        help: ArgumentHelp(
            "Bind the tokens to the key in this file, PEM or JWK, instead of a new one; only its path is kept.",
            valueName: "file"),
        transform: FileName.expanded)
    var dpopKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Seconds that clocks may differ, and that tokens are renewed ahead of their end. Default: 60.",
            valueName: "s"))
    var leeway: Double?

    func validate() throws {
        if let leeway, !(leeway >= 0 && leeway <= 86_400) {
            throw ValidationError("--leeway has to be from 0 to 86400 seconds.")
        }
        if dpopKeyFile?.isEmpty == true { throw ValidationError("--dpop-key has to name a file.") }
        if subject != nil, grant != .jwtBearer { throw ValidationError("--subject goes with --grant jwt-bearer.") }
        if let option = parameters.lazy.compactMap({ Self.options[$0.name] }).first {
            throw ValidationError("--param is for what has no option of its own: use \(option).")
        }
    }

    /// Parameters of requests that options set.
    private static let options = [
        "scope": "--scope", "resource": "--resource", "client_id": "--client-id", "redirect_uri": "--redirect-uri",
        "response_type": "--response-type", "response_mode": "--response-mode", "max_age": "--max-age",
        "prompt": "--prompt", "login_hint": "--login-hint", "grant_type": "--grant",
        "client_secret": "--client-secret-env", "claims": "--claims",
        "authorization_details": "--authorization-details",
    ]

    /// The first option that was given of those that a login for an API takes at a page alone.
    var optionOfPages: String? {
        !parameters.isEmpty
            ? "--param"
            : dpopKeyFile != nil ? "--dpop-key" : authorizationDetails != nil ? "--authorization-details" : nil
    }

    /// The key to bind tokens to; nil asks for bearer tokens.
    ///
    /// - Throws: `AuthStateError` with `.unsupported` when the provider takes other keys only, `.credentialUnavailable` when
    ///   there is none in the file.
    func dpopKey(for configuration: ProviderConfiguration) throws -> DPoPKey? {
        if let dpopKeyFile { return try .file(dpopKeyFile.absolutePath) }
        return isBound ? try .generate(for: configuration) : nil
    }

    /// The scopes of the option, else the given default.
    func scopes(default standard: [Scope] = []) -> [Scope] { scope.map(Scope.list) ?? standard }

    /// The other parameters, in the order of the command line.
    var additionalParameters: Parameters {
        var result: Parameters = [:]
        for parameter in parameters { result.append(parameter.name, parameter.value) }
        return result
    }

    /// The other parameters of grants whose requests have no property for the details.
    var grantParameters: Parameters {
        var result = additionalParameters
        if let authorizationDetails { result["authorization_details"] = authorizationDetails.parameter }
        return result
    }
}
