import AuthStateOAuth

/// The URLs that an Apple app declares as its own to the system, as far as a program can know them.
public struct AppDeclarations: Sendable, Hashable {
    /// The schemes in Info.plist's `CFBundleURLTypes`.
    public var urlSchemes: [String]
    /// The entitlement `com.apple.developer.associated-domains`, for example `webcredentials:app.example`; nil when it is
    /// not known, for an app cannot read its own.
    public var associatedDomains: [String]?

    /// Makes declarations.
    public init(urlSchemes: [String], associatedDomains: [String]? = nil) {
        self.urlSchemes = urlSchemes
        self.associatedDomains = associatedDomains
    }

    /// Reads the schemes from an Info.plist, for example `Bundle.main.infoDictionary`; missing entries are empty.
    public init(infoDictionary: [String: Any]?, associatedDomains: [String]? = nil) {
        let types = infoDictionary?["CFBundleURLTypes"] as? [[String: Any]] ?? []
        self.init(
            urlSchemes: types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] },
            associatedDomains: associatedDomains)
    }

    /// Whether a scheme is declared; the system ignores case.
    func declares(scheme: some StringProtocol) -> Bool { urlSchemes.contains { $0.equalsIgnoringASCIICase(scheme) } }

    /// Whether a host is associated for logins or links, itself or by a wildcard; nil when that is not known.
    func isAssociated(with host: some StringProtocol) -> Bool? {
        associatedDomains?.contains { entry in
            guard let colon = entry.firstIndex(of: ":"), ["webcredentials", "applinks"].contains(entry[..<colon]) else {
                return false
            }
            let domain = entry[entry.index(after: colon)...].prefix { $0 != "?" }
            guard domain.hasPrefix("*.") else { return domain.equalsIgnoringASCIICase(host) }
            return host.lowercased().hasSuffix(domain.dropFirst().lowercased())
        }
    }
}
