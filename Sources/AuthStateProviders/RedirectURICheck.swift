import AuthStateOAuth

/// The rules for redirect URIs that a specification recommends, a platform needs, or a provider enforces.
enum RedirectURICheck {
    /// The input of a rule.
    struct Subject: Sendable {
        var parts: URIReference
        var app: AppDeclarations?
        var responseMode: AuthorizationRequest.ResponseMode?
        var provider: KnownProvider?
        var clientID: String?

        var scheme: String { parts.scheme.map(String.init) ?? "" }
        /// Whether the scheme is an app's own, as far as the form goes.
        var isAppScheme: Bool { !parts.hasScheme("http") && !parts.hasScheme("https") && !isReserved }
        var isReserved: Bool { RedirectURICheck.reserved.contains(scheme.lowercased()) }
        var isGeneric: Bool { RedirectURICheck.generic.contains(scheme.lowercased()) }
    }

    typealias Rule = @Sendable (Subject) -> Finding?

    /// All rules, in the order in which a URI is read; each finds one thing at most.
    static let all: [Rule] = [
        reservedScheme, genericScheme, reverseDNS, mixedCase, hostInsteadOfPath, missingPath, plainHTTP, localhost,
        formPost, declaredScheme, associatedDomain, providerRule,
    ]

    /// Schemes that the system or the browser reserves.
    static let reserved: Set<String> = [
        "about", "blob", "data", "facetime", "file", "ftp", "itms-apps", "javascript", "mailto", "sms", "tel", "ws",
        "wss",
    ]

    /// Words that tutorials use: another app on the device may have chosen the same.
    static let generic: Set<String> = [
        "app", "application", "auth", "authenticate", "authorize", "callback", "client", "demo", "example", "ios",
        "login", "mobile", "my-app", "myapp", "native", "oauth", "oauth2", "oidc", "openid", "redirect", "sample",
        "scheme", "signin", "sso", "test", "urlscheme", "your-app", "yourapp",
    ]

    private static let reservedScheme: Rule = { subject in
        guard subject.isReserved else { return nil }
        return Finding(
            .reservedScheme, .error, "The scheme \(subject.scheme) belongs to the system; no app receives the answer.",
            hint: "Use a scheme of your own, such as com.example.app.")
    }

    /// RFC 8252, section 8.4: any app may claim a scheme, and the system decides which one gets the code.
    private static let genericScheme: Rule = { subject in
        guard subject.isAppScheme, subject.isGeneric else { return nil }
        return Finding(
            .genericScheme, .warning,
            "The scheme \(subject.scheme) is a word that other apps choose too, and one of them may get the answer.",
            hint: "Use a domain name of yours in reverse, such as com.example.app (RFC 8252, section 7.1).")
    }

    /// RFC 8252, section 7.1; a generic word has its own finding.
    private static let reverseDNS: Rule = { subject in
        guard subject.isAppScheme, !subject.isGeneric else { return nil }
        let labels = subject.scheme.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count < 2 || labels.contains(where: \.isEmpty) else { return nil }
        return Finding(
            .schemeNotReverseDNS, .warning,
            "The scheme \(subject.scheme) is not a domain name in reverse, so nothing says whose it is.",
            hint:
                "Use one such as com.example.app (RFC 8252, section 7.1); some providers refuse a scheme without a dot."
        )
    }

    /// RFC 3986, section 3.1: the canonical form is lowercase, and a comparison by characters finds a difference.
    private static let mixedCase: Rule = { subject in
        guard subject.scheme != subject.scheme.lowercased() else { return nil }
        return Finding(
            .mixedCaseScheme, .warning,
            "The scheme \(subject.scheme) has capital letters, and browsers hand it over in lowercase.",
            hint: "Write \(subject.scheme.lowercased()), here and at the provider.")
    }

    /// RFC 8252, section 7.1: no naming authority, so one slash. It works where all compare the same characters.
    private static let hostInsteadOfPath: Rule = { subject in
        guard subject.isAppScheme, let host = subject.parts.host, !host.isEmpty else { return nil }
        guard subject.provider?.redirectRule != .callbackDomain else { return nil }
        let path = subject.parts.path
        let better = "\(subject.scheme):/\(host)\(path)"
        return Finding(
            .hostInsteadOfPath, .warning,
            "In \(subject.parts.redacted) \(host) is a host"
                + (path.isEmpty ? " and the path is empty." : ", not the beginning of the path."),
            hint:
                "Register exactly these characters at the provider, without a slash that one side adds, or use \(better) "
                + "on both sides.")
    }

    private static let missingPath: Rule = { subject in
        guard subject.isAppScheme, subject.parts.host == nil, subject.parts.path.allSatisfy({ $0 == "/" }) else {
            return nil
        }
        return Finding(
            .missingPath, .warning, "Nothing comes after the scheme, and not every provider takes that.",
            hint: "Add a path, such as \(subject.scheme):/callback.")
    }

    /// RFC 6749, section 3.1.2.1; RFC 9700, section 2.6.
    private static let plainHTTP: Rule = { subject in
        guard subject.parts.hasScheme("http"), !subject.parts.isLoopback else { return nil }
        return Finding(
            .httpNotLoopback, .error,
            "The answer would travel over http to another machine, with the code in the clear.",
            hint: "Use https, or http://127.0.0.1 for a program on this machine.")
    }

    /// RFC 8252, section 8.3: the name may resolve to another interface, and some providers take the address alone.
    private static let localhost: Rule = { subject in
        guard subject.parts.hasScheme("http"), subject.parts.host?.equalsIgnoringASCIICase("localhost") == true,
            subject.provider?.redirectRule?.decidesLocalhost != true
        else { return nil }
        return Finding(
            .localhostName, .warning, "localhost may lead to another address than the one that is listened at.",
            hint: "Use 127.0.0.1 or [::1], here and at the provider (RFC 8252, section 8.3).")
    }

    /// Form Post Response Mode, section 2: the answer is the body of a POST.
    private static let formPost: Rule = { subject in
        let leadsToApp = subject.isAppScheme || subject.app != nil && subject.parts.hasScheme("https")
        guard subject.responseMode?.carrier == .formPost, leadsToApp else { return nil }
        return Finding(
            .formPostToApp, .error, "An app is opened with a URL and never sees the form that form_post sends.",
            hint:
                "Ask for the answer by query; a provider that only posts (Apple with name or email) needs a page of yours "
                + "on https that receives the form.")
    }

    private static let declaredScheme: Rule = { subject in
        guard subject.isAppScheme, let app = subject.app, !app.declares(scheme: subject.scheme) else { return nil }
        return Finding(
            .schemeNotDeclared, .warning, "Info.plist does not declare the scheme \(subject.scheme).",
            hint: "Add it to CFBundleURLTypes when the answer comes through onOpenURL or a delegate; "
                + "ASWebAuthenticationSession does not need it.")
    }

    private static let associatedDomain: Rule = { subject in
        guard subject.parts.hasScheme("https"), let app = subject.app, let host = subject.parts.host else { return nil }
        switch app.isAssociated(with: host) {
        case true?: return nil
        case false?:
            return Finding(
                .domainNotAssociated, .error,
                "The app is not associated with \(host), so the answer stays in the browser.",
                hint:
                    "Add webcredentials:\(host) (ASWebAuthenticationSession) or applinks:\(host) (universal links) to "
                    + "the associated domains.")
        case nil:
            return Finding(
                .domainNotAssociated, .warning, "Whether the app is associated with \(host) cannot be seen from here.",
                hint: "Check the associated domains (webcredentials:\(host) for ASWebAuthenticationSession, "
                    + "applinks:\(host) for universal links) and https://\(host)/.well-known/apple-app-site-association."
            )
        }
    }

    private static let providerRule: Rule = { subject in
        guard let provider = subject.provider, let rule = provider.redirectRule else { return nil }
        return rule.finding(for: subject, at: provider.title)
    }
}
