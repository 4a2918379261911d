import ArgumentParser
import AuthStateKit

/// The metadata that a client registers, beside its name and authentication.
struct RegisteredClientOptions: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "Where answers may go, and browsers after a logout; may be repeated.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(help: ArgumentHelp("What the client will use; may be repeated.", valueName: "grant"))
    var grant: [RegisteredGrant] = []

    @Option(help: "What it may ask for, in quotes.")
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "Another member of the client's metadata, as text or JSON; null removes it. May be repeated.",
            valueName: "name=value"))
    var metadata: [NamedValue] = []

    /// The grants; a login in the browser unless options say otherwise.
    var grants: [RegisteredGrant] { grant.isEmpty ? [.login(.authorizationCode)] : grant }

    /// Whether answers come to a redirect URI.
    var hasPage: Bool { grants.contains(.login(.authorizationCode)) }

    var isEmpty: Bool { redirectURIs.isEmpty && grant.isEmpty && scope == nil && metadata.isEmpty }

    func validate() throws { for uri in redirectURIs { try RedirectURI.check(uri, of: "--redirect-uri") } }

    /// Writes the options into a client's metadata.
    func apply(to client: inout ClientMetadata) throws {
        if !redirectURIs.isEmpty {
            client.redirectURIs = try redirectURIs.map(RedirectURI.init)
            client.postLogoutRedirectURIs = client.redirectURIs
        }
        if !grant.isEmpty { client.use(grant) }
        if let scope { client.scopes = Scope.list(scope) }
        for member in metadata { try client.setMetadata(member) }
    }
}

extension RedirectURI {
    /// Refuses the argument of an option that is no redirect URI.
    static func check(_ text: String, of option: String) throws {
        do { _ = try RedirectURI(text) } catch let error as AuthStateError {
            throw ValidationError("\(option): \(error.message)")
        }
    }
}

/// A grant that a client registers for: one of a login, or the exchange of its tokens.
enum RegisteredGrant: ExpressibleByArgument, Hashable, Sendable {
    case login(TokenOptions.Grant)
    case tokenExchange

    private static let exchange = "token-exchange"

    init?(argument: String) {
        if argument == Self.exchange {
            self = .tokenExchange
        } else if let grant = TokenOptions.Grant(rawValue: argument) {
            self = .login(grant)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] { TokenOptions.Grant.allValueStrings + [exchange] }

    /// The grant's name in the protocol.
    var type: GrantType { if case .login(let grant) = self { grant.type } else { .tokenExchange } }

    /// The grant of a login; nil for the exchange.
    var login: TokenOptions.Grant? { if case .login(let grant) = self { grant } else { nil } }
}

extension ClientMetadata {
    /// Sets a member from the command line: from JSON where that is of the member's type, else as text.
    fileprivate mutating func setMetadata(_ member: NamedValue) throws {
        if let json = try? JSONValue(parsing: Array(member.value.utf8)),
            (try? setMetadata(member.name, to: json)) != nil
        {
            return
        }
        do { try setMetadata(member.name, to: .string(member.value)) } catch var error as AuthStateError {
            error.message = "--metadata \(member.name): \(error.message)"
            error.hint = "Give lists as JSON, for example --metadata 'contacts=[\"ada@example.com\"]'."
            throw error
        }
    }
}
