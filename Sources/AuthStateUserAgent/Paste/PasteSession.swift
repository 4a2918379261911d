import AuthStateFoundation
import AuthStateOAuth

/// One trip by copy and paste.
struct PasteSession: ExternalUserAgentSession {
    private static let attempts = 3

    let agent: PasteUserAgent
    let redirectURI: RedirectURI
    let purpose: UserAgentPurpose

    func present(_ url: URL) async throws -> AuthorizationCallback {
        agent.show(try purpose.browserURL(url).url)
        for attempt in 1...Self.attempts {
            try Task.checkCancellation()
            let line = try await agent.read().map { PastedAnswer.trim($0) }
            try Task.checkCancellation()
            guard let line, !line.isEmpty else {
                throw AuthStateError(.cancelled, stage: purpose.stage, "No address was pasted.")
            }
            if let answer = PastedAnswer.callback(from: line, redirectURI: redirectURI, purpose: purpose) {
                return answer
            }
            if attempt < Self.attempts {
                agent.explain("That is not it. Paste the whole address, which begins with \(redirectURI.rawValue).")
            }
        }
        throw AuthStateError(
            .callbackMismatch, stage: purpose.stage, "What was pasted is not the address that the browser ended at.",
            expected: "an address that begins with \(redirectURI.rawValue)",
            hint: "Begin again, and copy the whole address from the browser's address bar.")
    }

    /// Does nothing: nothing is held, and the browser is elsewhere.
    func finish(_ outcome: UserAgentOutcome) async {}
}

/// Parses a pasted line: pure functions.
enum PastedAnswer {
    /// Returns the line without the blanks, quotes and angle brackets that come along when a user copies.
    static func trim(_ line: String) -> String {
        let isWrapping: (Character) -> Bool = { $0.isWhitespace || "\"'<>".contains($0) }
        return String(line.drop(while: isWrapping).reversed().drop(while: isWrapping).reversed())
    }

    /// Returns the callback for the whole address at the redirect URI, or only its parameters; nil for anything else.
    static func callback(
        from line: String, redirectURI: RedirectURI, purpose: UserAgentPurpose
    ) -> AuthorizationCallback? {
        guard line.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let parts = URIReference(line)
        if redirectURI.matches(line) {
            let parameters = "\(parts.query ?? "")&\(parts.fragment ?? "")"
            guard purpose == .logout || AuthorizationCallback.hasAnswer(parameters) else { return nil }
            return AuthorizationCallback(url: line)
        }
        guard parts.scheme == nil, !line.hasPrefix("/") else { return nil }
        let parameters = line.drop { $0 == "?" || $0 == "#" }
        guard AuthorizationCallback.hasAnswer(parameters), !parameters.contains("?"), !parameters.contains("#")
        else { return nil }
        let separator = line.hasPrefix("#") ? "#" : (redirectURI.parts.query == nil ? "?" : "&")
        return AuthorizationCallback(url: "\(redirectURI.rawValue)\(separator)\(parameters)")
    }
}
