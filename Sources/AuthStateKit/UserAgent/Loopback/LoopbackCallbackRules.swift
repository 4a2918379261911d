internal import AuthStateOAuth

/// Which requests at a loopback receiver are the provider's answer, and what every other one is told: a pure function.
///
/// Anybody on the machine, and every page in the browser, can send requests to a loopback port (RFC 8252, section 8.10).
/// A refusal never ends the flow.
struct LoopbackCallbackRules: Sendable {
    enum Verdict: Sendable, Hashable {
        case callback(AuthorizationCallback)
        case refuse(status: Int)
    }

    let redirectURI: RedirectURI
    let purpose: UserAgentPurpose

    func judge(_ request: LoopbackRequest) -> Verdict {
        // A name that somebody else's DNS points at this machine is not ours.
        guard hosts.contains(request.headers.first("Host") ?? "") else { return .refuse(status: 403) }
        guard request.path == (redirectURI.path.isEmpty ? "/" : redirectURI.path) else { return .refuse(status: 404) }
        guard request.method == "GET" || request.method == "POST" else { return .refuse(status: 405) }
        // What a script or an image of another page sends is not a person who comes back.
        guard request.headers["Sec-Fetch-Mode"].allSatisfy({ $0 == "navigate" }) else { return .refuse(status: 403) }
        return request.method == "GET" ? judgeQuery(request) : judgeForm(request)
    }

    private func judgeQuery(_ request: LoopbackRequest) -> Verdict {
        guard purpose == .logout || Self.hasAnswer(request.query ?? "") else { return .refuse(status: 400) }
        return .callback(AuthorizationCallback(url: url(of: request)))
    }

    /// OAuth 2.0 Form Post Response Mode, section 2.
    private func judgeForm(_ request: LoopbackRequest) -> Verdict {
        let type = request.headers.first("Content-Type")?.prefix { $0 != ";" }.filter { $0 != " " } ?? ""
        guard type.equalsIgnoringASCIICase("application/x-www-form-urlencoded") else { return .refuse(status: 415) }
        guard request.body.allSatisfy({ (0x21...0x7E).contains($0) }) else { return .refuse(status: 400) }
        let form = String(decoding: request.body, as: UTF8.self)
        guard purpose == .logout || Self.hasAnswer(form) else { return .refuse(status: 400) }
        return .callback(AuthorizationCallback(url: url(of: request), formBody: form))
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

    /// Whether there is a parameter of an authorization response; `response` is that of JARM.
    static func hasAnswer(_ parameters: some StringProtocol) -> Bool {
        parameters.split(separator: "&").contains { pair in
            ["code", "error", "response", "id_token"].contains(pair.prefix { $0 != "=" })
        }
    }
}
