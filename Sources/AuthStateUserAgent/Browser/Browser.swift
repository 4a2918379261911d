public import AuthStateFoundation
public import AuthStateOAuth
import AuthStateSystem

/// A way to open a URL for a user: the system's browser, a command, or a function of yours.
public struct Browser: Sendable {
    private enum Opening {
        case system
        case command([String])
        case custom(@Sendable (URL) throws -> Void)
    }

    private let opening: Opening
    private var announce: (@Sendable (URL) -> Void)?
    private var withheld: Set<String> = []

    private init(opening: Opening) { self.opening = opening }

    /// The user's default browser: through `open` on macOS; on Linux the program that the variable `BROWSER` names, else
    /// through `xdg-open` and its like.
    public static let system = Browser(opening: .system)

    /// Returns a browser that runs a command without a shell; the URL is the command's last argument.
    ///
    /// Its output goes nowhere. When it ends with an error before the user is back, the flow ends with
    /// `.browserUnavailable`, and `received` has the last lines of its standard error; when it ends well, the flow goes on.
    /// `split(_:)` makes words of a command line.
    public static func command(_ words: [String]) -> Browser { Browser(opening: .command(words)) }

    /// Returns a browser that calls a function with the URL; an error that the function throws ends the flow.
    public static func custom(_ open: @escaping @Sendable (URL) throws -> Void) -> Browser {
        Browser(opening: .custom(open))
    }

    /// Returns this browser with a function that is called with each URL before it opens.
    ///
    /// For people who open the address by themselves, on this machine or through a forwarded port. A loopback login's
    /// address works once.
    public func announcing(_ announce: @escaping @Sendable (URL) -> Void) -> Browser {
        var copy = self
        copy.announce = announce
        return copy
    }

    /// Returns whether the way to open pages leads anywhere: on Linux the system's browser needs a display, or a browser that a
    /// variable names.
    public func isAvailable(environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        #if os(Linux)
            guard case .system = opening else { return true }
            return (Self.displays + ["BROWSER"]).contains { environment[$0]?.isEmpty == false }
        #else
            return true
        #endif
    }

    /// Returns this browser with an announcement of each URL, unless it has one or opens pages by a function.
    func announcingIfSilent(_ announce: @escaping @Sendable (URL) -> Void) -> Browser {
        if case .custom = opening { return self }
        return self.announce == nil ? announcing(announce) : self
    }

    /// Returns this browser with environment variables that its process does not inherit.
    ///
    /// Variables that this library reads a secret or key from are withheld in any case.
    public func withholding(_ variables: some Sequence<String>) -> Browser {
        var copy = self
        copy.withheld.formUnion(variables)
        return copy
    }

    /// Opens a URL and returns; a command that fails later is reported once, from another thread.
    ///
    /// For pages that do not lead back to the app, such as a device login's; a user agent opens those of other logins.
    ///
    /// - Parameters:
    ///   - url: The page: http or https with a host, without user and password.
    ///   - stage: The stage of the errors.
    ///   - onFailure: Called at most once, with the error that the command ended with.
    /// - Throws: `AuthStateError` with `.browserUnavailable`, or `.invalidArgument` for a URL that is no page.
    public func open(
        _ url: URL, stage: AuthStateError.Stage, onFailure: @escaping @Sendable (AuthStateError) -> Void
    ) throws {
        guard let page = BrowserURL(url) else {
            throw AuthStateError(
                .invalidArgument, stage: stage, "This URL is not opened in a browser.",
                expected: "an http or https URL with a host, without user and password",
                received: url.redactedDescription)
        }
        announce?(page.url)
        switch opening {
        case .custom(let open): try open(page.url)
        case .command(let words): try run(words.isEmpty ? [] : words + [page.text], stage, onFailure)
        case .system:
            #if os(macOS)
                try run(["/usr/bin/open", page.text], stage, onFailure)
            #elseif os(Linux)
                let environment = ProcessInfo.processInfo.environment
                let opener = Self.openers(environment: environment).first { ChildProcess.canRun($0[0]) }
                guard let opener else {
                    throw Self.unavailable(
                        stage, "No program that opens a browser was found.",
                        received: environment["BROWSER"].map { "BROWSER=\($0.printable())" })
                }
                // A command of BROWSER may say which of its arguments the address is.
                let words = opener.map { $0.replacing("%s", with: page.text) }
                try run(words == opener ? opener + [page.text] : words, stage, onFailure)
            #else
                throw Self.unavailable(stage, "On this platform the system's browser is not opened by a command.")
            #endif
        }
    }

    /// The variables that name a display.
    private static let displays = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"]

    /// Returns the commands that open a URL in the user's browser, the preferred one first: those that `BROWSER` names, with
    /// colons between them, and where there is a display the system's. `wslview` exists only where Linux runs in Windows.
    static func openers(environment: [String: String]) -> [[String]] {
        let named = (environment["BROWSER"] ?? "").split(separator: ":")
            .compactMap { try? split(String($0)) }.filter { !$0.isEmpty }
        guard named.isEmpty || displays.contains(where: { environment[$0]?.isEmpty == false }) else { return named }
        return named + [["wslview"], ["xdg-open"], ["gio", "open"], ["sensible-browser"], ["x-www-browser"]]
    }

    private func run(
        _ words: [String], _ stage: AuthStateError.Stage, _ onFailure: @escaping @Sendable (AuthStateError) -> Void
    ) throws {
        #if os(macOS) || os(Linux)
            guard let name = words.first else { throw Self.unavailable(stage, "The browser command is empty.") }
            let withheld = withheld.union(SecretVariables.all)
            do throws(SystemCallError) {
                try ChildProcess.run(words, withholding: withheld) { status, lastWords in
                    guard status != 0 else { return }
                    let message = "The browser command \(name) ended with status \(status)."
                    onFailure(Self.unavailable(stage, message, received: lastWords.text))
                }
            } catch {
                throw Self.unavailable(stage, "The browser command \(name) cannot be run.", underlying: error)
            }
        #else
            throw Self.unavailable(stage, "On this platform no command can be run.")
        #endif
    }

    static func noDisplay(_ stage: AuthStateError.Stage) -> AuthStateError {
        unavailable(stage, "This machine has no display for a browser.")
    }

    private static func unavailable(
        _ stage: AuthStateError.Stage, _ message: String, received: String? = nil, underlying: (any Error)? = nil
    ) -> AuthStateError {
        AuthStateError(
            .browserUnavailable, stage: stage, message, received: received,
            hint: stage == .logout
                ? "Name another browser command, or end the session on the provider's own page."
                : "Name another browser command, paste the address by hand, or use a device code.",
            underlying: underlying)
    }
}
