import AuthStateOAuth

extension KnownProvider.RedirectRule {
    /// Whether it decides about the name localhost, so that the usual advice about it is left out.
    var decidesLocalhost: Bool { [.localhostByName, .webOnly, .addressOnly].contains(self) }

    /// The problem that the rule finds in a redirect URI.
    func finding(for subject: RedirectURICheck.Subject, at title: String) -> Finding? {
        switch self {
        case .reversedClientID:
            let labels = (subject.clientID ?? "").split(separator: ".")
            guard labels.count > 1 else { return nil }
            let scheme = labels.reversed().joined(separator: ".")
            guard subject.isAppScheme, !subject.scheme.equalsIgnoringASCIICase(scheme) else { return nil }
            return Finding(
                .providerRule, .warning, "\(title) gives the app of this client the scheme \(scheme).",
                hint: "Use \(scheme):/callback, unless \(title)'s page names \(subject.scheme) for this client.")
        case .domainOnly:
            guard !subject.isDomain else { return nil }
            return Finding(
                .providerRule, .error, "\(title) redirects to https and a domain name only.",
                hint: "Use a page of yours on https, which can hand the answer on to the app.")
        case .localhostByName:
            guard subject.parts.isLoopback, subject.parts.hasScheme("http"), !subject.isLocalhost else { return nil }
            return Finding(
                .providerRule, .warning,
                "\(title)'s page takes http://localhost alone; 127.0.0.1 has to be written into the app's manifest, and "
                    + "[::1] is refused.",
                hint: "Use http://localhost, here and at \(title); any port will do.")
        case .webOnly:
            let isWeb = subject.parts.hasScheme("https") || subject.parts.hasScheme("http") && subject.isLocalhost
            guard !isWeb else { return nil }
            return Finding(
                .providerRule, .error,
                "\(title) redirects to https, and to http://localhost while the app is in development.",
                hint: "Use http://localhost in development, else a page of yours on https.")
        case .addressOnly:
            guard subject.isLocalhost else { return nil }
            return Finding(
                .providerRule, .error, "\(title) refuses the name localhost.",
                hint: "Use http://127.0.0.1 or http://[::1], here and at \(title).")
        case .callbackDomain:
            guard subject.isAppScheme, subject.parts.host?.isEmpty != false else { return nil }
            return Finding(
                .providerRule, .error, "\(title) looks for its Authorization Callback Domain in the redirect URI.",
                hint: "Use \(subject.scheme)://, that domain, and a path.")
        }
    }
}

extension RedirectURICheck.Subject {
    fileprivate var isLocalhost: Bool { parts.host?.equalsIgnoringASCIICase("localhost") == true }

    fileprivate var isDomain: Bool {
        let isAddress = parts.host.map { $0.hasPrefix("[") || $0.allSatisfy { $0.isNumber || $0 == "." } }
        return parts.hasScheme("https") && isAddress == false && !parts.isLoopback
    }
}
