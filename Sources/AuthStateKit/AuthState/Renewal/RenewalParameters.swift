public import AuthStateOAuth
import AuthStateSystem

/// The parameters of a renewal beyond the default; tokens requested with parameters never replace the default ones.
public struct RenewalParameters: Sendable, Hashable {
    /// A part of the granted scopes, for this one token; empty asks for the whole grant.
    ///
    /// The grant keeps its scopes (RFC 6749, section 6), but not at every provider: some narrow it for good with the first
    /// such renewal, and later tokens have the smaller scope. Then log in once for each scope, or ask for the whole of it.
    public var scopes: [Scope] {
        get { wishes.scopes }
        set { wishes.scopes = newValue }
    }
    /// Some of the granted resources, absolute URIs (RFC 8707, section 2.2); many providers take one only.
    ///
    /// Empty names the login's resource again when it asked for exactly one, and none when it asked for several.
    public var resources: [String] {
        get { wishes.resources }
        set { wishes.resources = newValue }
    }
    /// A part of the granted authorization details (RFC 9396, section 6).
    public var authorizationDetails: [AuthorizationDetail] {
        get { wishes.authorizationDetails }
        set { wishes.authorizationDetails = newValue }
    }
    /// Other parameters, for example `audience`.
    public var additionalParameters: Parameters {
        get { wishes.additionalParameters }
        set { wishes.additionalParameters = newValue }
    }

    private struct Wishes: Sendable, Hashable {
        var scopes: [Scope] = []
        var resources: [String] = []
        var authorizationDetails: [AuthorizationDetail] = []
        var additionalParameters: Parameters = [:]
    }

    /// Nil when nothing is asked for: this goes along with every reading of a token, and its lists take 14 ns more.
    private var box: Box<Wishes>?

    private var wishes: Wishes {
        get { box?.value ?? Wishes() }
        set { box = newValue == Wishes() ? nil : Box(newValue) }
    }

    /// Makes parameters.
    public init(
        scopes: [Scope] = [], resources: [String] = [], authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: Parameters = [:]
    ) {
        wishes = Wishes(
            scopes: scopes, resources: resources, authorizationDetails: authorizationDetails,
            additionalParameters: additionalParameters)
    }

    /// No parameters: the default tokens.
    public static let none = RenewalParameters()

    /// Whether nothing is asked for; 5 ns less for each reading of a token than a comparison with `none`.
    @usableFromInline
    package var isNone: Bool { box == nil }
}
