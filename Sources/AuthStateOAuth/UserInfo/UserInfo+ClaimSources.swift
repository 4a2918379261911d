public import AuthStateFoundation
public import AuthStateJOSE

extension UserInfo {
    /// A source of claims that a party other than the provider vouches for (OpenID Connect Core, section 5.6.2).
    ///
    /// They are data: nothing is fetched, and no signature is verified. Before you use them, decide whether to trust
    /// that issuer, and verify its JWT with that issuer's keys.
    public struct ClaimSource: Sendable, Hashable {
        /// The names of the claims that the source is said to have.
        public let claimNames: [String]
        /// Where they are.
        public let origin: Origin

        /// Where claims are.
        public enum Origin: Sendable, Hashable {
            /// In this JWT (aggregated claims).
            case aggregated(jwt: String)
            /// At this https endpoint, which answers with a JWT (distributed claims).
            case distributed(endpoint: URL, accessToken: String?)
        }
    }

    /// The sources of claims by their name in the answer.
    ///
    /// A source that is malformed, that has no claims, or whose endpoint is not https, is left out.
    public var claimSources: [String: ClaimSource] {
        var names: [String: [String]] = [:]
        for (claim, source) in claims["_claim_names"]?.objectValue ?? [:] {
            if let source = source.stringValue { names[source, default: []].append(claim) }
        }
        var sources: [String: ClaimSource] = [:]
        for (name, members) in claims["_claim_sources"]?.objectValue ?? [:] {
            guard let claims = names[name], let origin = ClaimSource.Origin(members) else { continue }
            sources[name] = ClaimSource(claimNames: claims.sorted(), origin: origin)
        }
        return sources
    }
}

extension UserInfo.ClaimSource.Origin {
    fileprivate init?(_ members: JSONValue) {
        if let jwt = members["JWT"]?.stringValue {
            self = .aggregated(jwt: jwt)
        } else if let text = members["endpoint"]?.stringValue, let endpoint = ProviderMetadata.endpoint(text),
            TrustCheck.claimSourceTLS.holds(URIReference(text).hasScheme("https"))
        {
            self = .distributed(endpoint: endpoint, accessToken: members["access_token"]?.stringValue)
        } else {
            return nil
        }
    }
}

extension UserInfo.ClaimSource: Redacted {
    /// The names of the claims and the kind of source; JWT and access token stay secret.
    public var description: String {
        "source of \(claimNames.map { $0.printable() }.joined(separator: ", ")): \(origin)"
    }
}

extension UserInfo.ClaimSource.Origin: Redacted {
    /// The kind of source; JWT and access token stay secret.
    public var description: String {
        switch self {
        case .aggregated: "a JWT"
        case .distributed(let endpoint, let accessToken):
            "\(endpoint.redactedDescription), \(accessToken == nil ? "without" : "with") an access token"
        }
    }
}
