public import AuthStateFoundation
public import AuthStateOAuth

/// Shows the URL and takes the address that the browser ended at, copied back by hand: for machines without a browser.
///
/// Nothing listens at the redirect URI: the browser shows an error there, and its address bar has the answer.
public struct PasteUserAgent: ExternalUserAgent {
    /// The port that stands for "any free port": reserved by IANA (RFC 6335), so that nothing else should answer there.
    package static let unusedPort: UInt16 = 49151

    let show: @Sendable (URL) -> Void
    let read: @Sendable () async throws -> String?
    let explain: @Sendable (String) -> Void

    /// Makes a user agent on the terminal: instructions on standard error, the answer from standard input.
    public init() {
        self.init(
            show: { StandardTerminal.write(PasteInstructions.text(for: $0)) },
            read: { try await StandardTerminal.readLine() }, explain: { StandardTerminal.write($0 + "\n> ") })
    }

    /// Makes a user agent with its own ways to show and to ask.
    ///
    /// - Parameters:
    ///   - show: Shows the URL to open.
    ///   - read: Returns the text that the user pasted; nil when there is nothing more to read.
    ///   - explain: Says what was wrong with it, before `read` is called again.
    public init(
        show: @escaping @Sendable (URL) -> Void, read: @escaping @Sendable () async throws -> String?,
        explain: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.show, self.read, self.explain) = (show, read, explain)
    }

    /// Accepts any redirect URI; nil and port 0 become `unusedPort`.
    public func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        let asked = try redirectURI ?? RedirectURI("http://127.0.0.1:0/callback")
        let redirectURI = asked.port == 0 ? asked.withPort(Self.unusedPort) : asked
        return PasteSession(agent: self, redirectURI: redirectURI, purpose: purpose)
    }
}

private enum PasteInstructions {
    static func text(for url: URL) -> String {
        """
        Open this address in a browser:

          \(url.absoluteString)

        At the end the browser cannot reach the last address. Copy it from the address bar and paste it here:
        >\u{20}
        """
    }
}
