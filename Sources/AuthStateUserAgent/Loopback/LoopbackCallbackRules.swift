import AuthStateJOSE
package import AuthStateOAuth

/// Decides what each request at a loopback receiver is: a pure function.
///
/// Every program on the machine, and every page in the browser, can send requests to a loopback port (RFC 8252, section
/// 8.10). A refusal never ends the flow.
package struct LoopbackCallbackRules: Sendable {
    package enum Verdict: Sendable, Hashable {
        /// A browser opens the one-time address.
        case visit
        case callback(AuthorizationCallback)
        /// Our page has to hand the answer over.
        case handover(LoopbackHandover)
        /// An answer without the cookie: another browser than the one that opened the one-time address.
        case otherBrowser
        /// An answer whose `state` is not that of this trip.
        case otherState
        /// A refusal without `state` in the browser that was opened: it ends the trip, and says that it is not confirmed.
        case unconfirmed(AuthStateError)
        case refuse(status: Int)
    }

    let redirectURI: RedirectURI
    let purpose: UserAgentPurpose
    let entrance: LoopbackEntrance
    let state: String?

    /// Makes the rules of a trip.
    ///
    /// - Parameter state: The `state` of its request; nil when only the caller knows it, which then checks it.
    package init(redirectURI: RedirectURI, purpose: UserAgentPurpose, entrance: LoopbackEntrance, state: String?) {
        (self.redirectURI, self.purpose, self.entrance, self.state) = (redirectURI, purpose, entrance, state)
    }

    package func judge(_ request: LoopbackRequest) -> Verdict {
        // A name that another user's DNS points at this machine is not ours.
        let host = request.headers["Host"] ?? ""
        guard TrustCheck.loopbackHost.holds(hosts.contains { $0.equalsIgnoringASCIICase(host) }) else {
            return .refuse(status: 403)
        }
        let isEntrance = ConstantTime.equals(request.path, entrance.path)
        guard isEntrance || request.path == (redirectURI.path.isEmpty ? "/" : redirectURI.path) else {
            return .refuse(status: 404)
        }
        guard request.method == "GET" || request.method == "POST" && !isEntrance else { return .refuse(status: 405) }
        // A request by a script, an image or a frame of another page is not a user who comes back.
        let isNavigation = request.headers[values: "Sec-Fetch-Mode"].allSatisfy { $0 == "navigate" }
        let isDocument = request.headers[values: "Sec-Fetch-Dest"].allSatisfy { $0 == "document" }
        guard TrustCheck.loopbackNavigation.holds(isNavigation), TrustCheck.loopbackDocument.holds(isDocument) else {
            return .refuse(status: 403)
        }
        // The visit that counts is the one that a user sees.
        if isEntrance { return Self.isPrefetch(request) ? .refuse(status: 503) : .visit }
        return request.method == "GET" ? judgeQuery(request) : judgeForm(request)
    }

    private func judgeQuery(_ request: LoopbackRequest) -> Verdict {
        guard isAdmitted(request) else { return .otherBrowser }
        let callback = AuthorizationCallback(url: url(of: request))
        // The trip's state without an answer is all that comes: nothing is in the fragment.
        guard purpose == .logout || AuthorizationCallback.hasAnswer(request.query ?? "") || namesState(callback) else {
            return .handover(.fragment)
        }
        return accept(callback)
    }

    /// Judges a form: OAuth 2.0 Form Post Response Mode, section 2, or the form of our own page.
    private func judgeForm(_ request: LoopbackRequest) -> Verdict {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.filter { $0 != " " } ?? ""
        guard type.equalsIgnoringASCIICase("application/x-www-form-urlencoded") else { return .refuse(status: 415) }
        guard request.body.allSatisfy({ (0x21...0x7E).contains($0) }) else { return .refuse(status: 400) }
        let form = String(decoding: request.body, as: UTF8.self)
        guard let field = LoopbackHandover.field(of: form, for: purpose) else {
            // Browsers keep a Lax cookie back when another site posts; from our own page they send it.
            return isAnswer(form) ? .handover(.form(form)) : .refuse(status: 400)
        }
        guard TrustCheck.loopbackFormOrigin.holds(isFromHere(request)) else { return .refuse(status: 403) }
        guard isAdmitted(request) else { return .otherBrowser }
        guard let answer = Parameters(decoding: form)?[field], answer.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            isAnswer(answer)
        else { return .refuse(status: 400) }
        return accept(
            field == LoopbackHandover.fragmentField
                ? AuthorizationCallback(url: "\(url(of: request))#\(answer)")
                : AuthorizationCallback(url: url(of: request), formBody: answer))
    }

    private func isAnswer(_ parameters: String) -> Bool {
        purpose == .logout || AuthorizationCallback.hasAnswer(parameters)
    }

    private func isAdmitted(_ request: LoopbackRequest) -> Bool {
        TrustCheck.loopbackCookie.holds(entrance.admits(request))
    }

    /// Returns whether our own page sent the form (RFC 6454, section 7; Fetch Metadata, section 2.3).
    private func isFromHere(_ request: LoopbackRequest) -> Bool {
        hosts.contains { request.headers[values: "Origin"] == ["http://\($0)"] }
            && request.headers[values: "Sec-Fetch-Site"].allSatisfy { $0 == "same-origin" }
    }

    /// Accepts an answer that names this trip's `state`, in a signed one too. A logout's answer may lack it: the
    /// caller, which checks it again, then reports that.
    private func accept(_ callback: AuthorizationCallback) -> Verdict {
        let isOurs = state == nil || namesState(callback) || purpose == .logout && callback.states.isEmpty
        if !isOurs, purpose == .login, let refusal = callback.unconfirmedRefusal { return .unconfirmed(refusal) }
        return TrustCheck.loopbackState.holds(isOurs) ? .callback(callback) : .otherState
    }

    private func namesState(_ callback: AuthorizationCallback) -> Bool {
        state.map { state in callback.states.contains { ConstantTime.equals($0, state) } } ?? false
    }

    /// Returns whether the browser only prefetches what a user may open (Resource Hints, section 4; older names too).
    private static func isPrefetch(_ request: LoopbackRequest) -> Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            request.headers[values: name].contains { $0.lowercased().contains("pre") }
        }
    }

    /// The one-time address, in the redirect URI's own spelling.
    var entranceURL: String { "\(origin)\(entrance.path)" }

    /// Returns the address as the browser shows it, in the redirect URI's own spelling.
    private func url(of request: LoopbackRequest) -> String {
        "\(origin)\(redirectURI.parts.path)\(request.query.map { "?\($0)" } ?? "")"
    }

    private var origin: String { "\(redirectURI.parts.scheme ?? "http")://\(authority)" }

    private var authority: String { (redirectURI.parts.host ?? "") + (redirectURI.parts.port.map { ":\($0)" } ?? "") }

    /// The host and port in lower case, as browsers write them; they leave out port 80.
    private var hosts: [String] {
        guard (redirectURI.port ?? 80) == 80, let host = redirectURI.parts.host?.lowercased() else {
            return [authority.lowercased()]
        }
        return [host, "\(host):80"]
    }
}
