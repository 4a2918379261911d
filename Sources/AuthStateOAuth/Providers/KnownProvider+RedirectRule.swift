extension KnownProvider {
    /// What a provider demands of redirect URIs beyond the specifications.
    package enum RedirectRule: Sendable, Hashable {
        /// A scheme of an app's own is the client identifier in reverse.
        ///
        /// https://developers.google.com/identity/protocols/oauth2/native-app
        case reversedClientID
        /// https and a domain name: no scheme of an app's own, no address, no localhost.
        ///
        /// https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
        case domainOnly
    }
}

extension KnownProvider.RedirectRule {
    /// What the rule has against a redirect URI.
    func finding(for subject: RedirectURICheck.Subject, at title: String) -> Finding? {
        switch self {
        case .domainOnly:
            let isAddress = subject.parts.host.map { $0.hasPrefix("[") || $0.allSatisfy { $0.isNumber || $0 == "." } }
            let isDomain = subject.parts.hasScheme("https") && isAddress == false && !subject.parts.isLoopback
            guard !isDomain else { return nil }
            return Finding(
                .providerRule, .error, "\(title) redirects to https and a domain name only.",
                hint: "Use a page of yours on https, which can hand the answer on to the app.")
        case .reversedClientID:
            let labels = (subject.clientID ?? "").split(separator: ".")
            guard labels.count > 1 else { return nil }
            let scheme = labels.reversed().joined(separator: ".")
            guard subject.isAppScheme, !subject.scheme.equalsIgnoringASCIICase(scheme) else { return nil }
            return Finding(
                .providerRule, .warning, "\(title) gives the app of this client the scheme \(scheme).",
                hint: "Use \(scheme):/callback, unless \(title)'s page names \(subject.scheme) for this client.")
        }
    }
}
