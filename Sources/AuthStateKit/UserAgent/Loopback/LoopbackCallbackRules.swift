internal import AuthStateJOSE
package import AuthStateOAuth

/// Which requests at a loopback receiver are the provider's answer, and what every other one is told: a pure function.
///
/// Anybody on the machine, and every page in the browser, can send requests to a loopback port (RFC 8252, section 8.10).
/// A refusal never ends the flow.
package struct LoopbackCallbackRules: Sendable {
    package enum Verdict: Sendable, Hashable {
        case callback(AuthorizationCallback)
        /// The answer may be in the fragment, which browsers keep to themselves: our page hands it over.
        case fragmentPage
        case refuse(status: Int)
    }

    /// The field in which our page hands the fragment over.
    static let fragmentField = "authstate_fragment"

    let redirectURI: RedirectURI
    let purpose: UserAgentPurpose

    package init(redirectURI: RedirectURI, purpose: UserAgentPurpose) {
        self.redirectURI = redirectURI
        self.purpose = purpose
    }

    package func judge(_ request: LoopbackRequest) -> Verdict {
        // A name that somebody else's DNS points at this machine is not ours.
        guard TrustCheck.loopbackHost.holds(hosts.contains(request.headers.first("Host") ?? "")) else {
            return .refuse(status: 403)
        }
        guard request.path == (redirectURI.path.isEmpty ? "/" : redirectURI.path) else { return .refuse(status: 404) }
        guard request.method == "GET" || request.method == "POST" else { return .refuse(status: 405) }
        // What a script, an image or a frame of another page sends is not a person who comes back.
        let isNavigation = request.headers["Sec-Fetch-Mode"].allSatisfy { $0 == "navigate" }
        let isDocument = request.headers["Sec-Fetch-Dest"].allSatisfy { $0 == "document" }
        guard TrustCheck.loopbackNavigation.holds(isNavigation), TrustCheck.loopbackDocument.holds(isDocument) else {
            return .refuse(status: 403)
        }
        return request.method == "GET" ? judgeQuery(request) : judgeForm(request)
    }

    private func judgeQuery(_ request: LoopbackRequest) -> Verdict {
        guard purpose == .logout || AuthorizationCallback.hasAnswer(request.query ?? "") else { return .fragmentPage }
        return .callback(AuthorizationCallback(url: url(of: request)))
    }

    /// OAuth 2.0 Form Post Response Mode, section 2; or the form of our own page.
    private func judgeForm(_ request: LoopbackRequest) -> Verdict {
        let type = request.headers.first("Content-Type")?.prefix { $0 != ";" }.filter { $0 != " " } ?? ""
        guard type.equalsIgnoringASCIICase("application/x-www-form-urlencoded") else { return .refuse(status: 415) }
        guard request.body.allSatisfy({ (0x21...0x7E).contains($0) }) else { return .refuse(status: 400) }
        let form = String(decoding: request.body, as: UTF8.self)
        if purpose == .login, form.hasPrefix("\(Self.fragmentField)=") { return judgeFragment(form, request) }
        guard purpose == .logout || AuthorizationCallback.hasAnswer(form) else { return .refuse(status: 400) }
        return .callback(AuthorizationCallback(url: url(of: request), formBody: form))
    }

    /// The fragment as the browser had it; only a page from here can say so (RFC 6454, section 7).
    private func judgeFragment(_ form: String, _ request: LoopbackRequest) -> Verdict {
        let isOurs = hosts.contains { request.headers["Origin"] == ["http://\($0)"] }
        guard TrustCheck.loopbackFragmentOrigin.holds(isOurs) else { return .refuse(status: 403) }
        guard let fragment = Parameters(decoding: form)?[Self.fragmentField],
            fragment.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), AuthorizationCallback.hasAnswer(fragment)
        else { return .refuse(status: 400) }
        return .callback(AuthorizationCallback(url: "\(url(of: request))#\(fragment)"))
    }

    /// The address as the browser shows it, in the redirect URI's own spelling.
    private func url(of request: LoopbackRequest) -> String {
        let parts = redirectURI.parts
        let query = request.query.map { "?\($0)" } ?? ""
        return "\(parts.scheme ?? "http")://\(authority)\(parts.path)\(query)"
    }

    private var authority: String {
        (redirectURI.parts.host ?? "") + (redirectURI.parts.port.map { ":\($0)" } ?? "")
    }

    /// The host and port as written; browsers leave out port 80.
    private var hosts: [String] {
        guard (redirectURI.port ?? 80) == 80, let host = redirectURI.parts.host else { return [authority] }
        return [String(host), "\(host):80"]
    }
}
