import AuthStateOAuth

/// A problem found in a set-up before the first login: advice for the developer, never thrown.
public struct Finding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Whether a login can work all the same.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// No login can succeed this way, or it would reveal the code.
        case error
        /// It may work, here or at this provider, and should be changed.
        case warning
    }

    /// The kind of problem. New ones may be added.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// The code's name.
        public var rawValue: String
        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of problem.
    public var code: Code
    /// Whether a login can work all the same.
    public var severity: Severity
    /// One sentence for a user.
    public let message: String
    /// The advice.
    public let hint: String

    /// Makes a finding.
    package init(_ code: Code, _ severity: Severity, _ message: String, hint: String) {
        self.code = code
        self.severity = severity
        self.message = message.printable(AuthStateError.longest)
        self.hint = hint.printable(AuthStateError.longest)
    }

    /// Decodes a finding; terminal control characters are replaced, as by the other initialiser.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Code.self, forKey: .code), try container.decode(Severity.self, forKey: .severity),
            try container.decode(String.self, forKey: .message), hint: try container.decode(String.self, forKey: .hint))
    }

    /// Severity, message and advice in one line.
    public var description: String { "\(severity.rawValue): \(message) \(hint)" }
}

extension Finding.Code {
    /// The redirect URI is not absolute, has a fragment, or cannot be read: `RedirectURI.init` refuses it.
    public static let invalidRedirectURI = Self(rawValue: "invalidRedirectURI")
    /// The scheme means something to every system already, for example `file` or `mailto`.
    public static let reservedScheme = Self(rawValue: "reservedScheme")
    /// The scheme is a word that any app could choose, for example `myapp` (RFC 8252, section 8.4).
    public static let genericScheme = Self(rawValue: "genericScheme")
    /// The scheme is not a domain name in reverse (RFC 8252, section 7.1).
    public static let schemeNotReverseDNS = Self(rawValue: "schemeNotReverseDNS")
    /// The scheme has capital letters (RFC 3986, section 3.1).
    public static let mixedCaseScheme = Self(rawValue: "mixedCaseScheme")
    /// There is a host after a scheme of an app's own, where its path belongs (RFC 8252, section 7.1).
    public static let hostInsteadOfPath = Self(rawValue: "hostInsteadOfPath")
    /// Nothing comes after a scheme of an app's own (RFC 8252, section 7.1).
    public static let missingPath = Self(rawValue: "missingPath")
    /// http to another machine: the code would travel in the clear (RFC 9700, section 2.6).
    public static let httpNotLoopback = Self(rawValue: "httpNotLoopback")
    /// `localhost` instead of the address (RFC 8252, section 8.3).
    public static let localhostName = Self(rawValue: "localhostName")
    /// The app's Info.plist does not declare the scheme.
    public static let schemeNotDeclared = Self(rawValue: "schemeNotDeclared")
    /// It is unknown whether the app is associated with the host of an https redirect URI, or it is not associated.
    public static let domainNotAssociated = Self(rawValue: "domainNotAssociated")
    /// `form_post` to a scheme of an app's own: an app is opened by a URL and never sees a form.
    public static let formPostToApp = Self(rawValue: "formPostToApp")
    /// The provider wants another redirect URI.
    public static let providerRule = Self(rawValue: "providerRule")
    /// `offline_access` without `prompt=consent`, at a provider that has such a prompt (OpenID Connect Core, section 11).
    public static let offlineAccessWithoutConsent = Self(rawValue: "offlineAccessWithoutConsent")
    /// A client secret in an app: every copy of the app reveals it (RFC 8252, section 8.5).
    public static let secretInApp = Self(rawValue: "secretInApp")
}
