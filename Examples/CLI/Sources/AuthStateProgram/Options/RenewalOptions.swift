public import ArgumentParser
public import AuthStateKit

/// Options for other tokens than the stored ones: for a part of the grant.
public struct RenewalOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Use a token for a part of the granted scope only, in quotes. It is not kept. Some providers narrow the grant "
                + "permanently by this: later tokens have the smaller scope, until a new login."))
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "Use a token for this resource (RFC 8707); may be repeated. It is not kept.", valueName: "uri"))
    var resource: [String] = []

    @Option(
        name: .customLong("authorization-details"),
        help: ArgumentHelp(
            "Use a token for some of the granted details only (RFC 9396). It is not kept.", valueName: "json"),
        transform: JSONOption.details)
    var authorizationDetails: [AuthorizationDetail]?

    /// Makes options with no arguments read.
    public init() {}

    /// The options as the words of another command.
    var words: [String] {
        (scope.map { ["--scope", $0] } ?? []) + resource.flatMap { ["--resource", $0] }
            + (authorizationDetails.map { ["--authorization-details", $0.parameter] } ?? [])
    }

    /// What the options ask of a renewal.
    public var parameters: RenewalParameters {
        RenewalParameters(
            scopes: scope.map(Scope.list) ?? [], resources: resource, authorizationDetails: authorizationDetails ?? [])
    }
}

extension Scope {
    /// The words of a text.
    static func list(_ text: String) -> [Scope] { text.split(separator: " ").map { Scope(rawValue: String($0)) } }
}
