public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What opens a URL for a person: the system's browser, a command, or a function of yours.
public struct Browser: Sendable {
    private enum Opening {
        case system
        case command([String])
        case custom(@Sendable (URL) throws -> Void)
    }

    private let opening: Opening

    /// The person's default browser, through `open` on macOS and `xdg-open` and its like on Linux.
    public static let system = Browser(opening: .system)

    /// A command, which is run without a shell and gets the URL as its last argument.
    ///
    /// Its output goes nowhere. When it ends with an error before the person is back, the flow ends with
    /// `.browserUnavailable`, and `received` has the last lines of its standard error; when it ends well, the flow goes on.
    /// `split(_:)` makes words of a command line.
    public static func command(_ words: [String]) -> Browser { Browser(opening: .command(words)) }

    /// A function that shows the URL; what it throws ends the flow.
    public static func custom(_ open: @escaping @Sendable (URL) throws -> Void) -> Browser {
        Browser(opening: .custom(open))
    }

    /// Opens a URL and returns; a command that fails later is reported once, from another thread.
    ///
    /// For pages that nobody comes back from, such as a device login's; a user agent opens those of other logins.
    ///
    /// - Parameter onFailure: Called at most once, with what the command ended with.
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
        switch opening {
        case .custom(let open): try open(page.url)
        case .command(let words): try Self.run(words, page, stage, onFailure)
        case .system:
            #if os(macOS)
                try Self.run(["/usr/bin/open"], page, stage, onFailure)
            #elseif os(Linux)
                let opener = Self.openers.first { ChildProcess.find($0[0]) != nil }
                guard let opener else { throw Self.unavailable(stage, "No program that opens a browser was found.") }
                try Self.run(opener, page, stage, onFailure)
            #else
                throw Self.unavailable(stage, "On this platform the system's browser is not opened by a command.")
            #endif
        }
    }

    /// Programs that open a URL in whatever browser a person uses; the first stands only where Linux runs in Windows.
    private static let openers = [["wslview"], ["xdg-open"], ["gio", "open"], ["sensible-browser"], ["x-www-browser"]]

    private static func run(
        _ words: [String], _ page: BrowserURL, _ stage: AuthStateError.Stage,
        _ onFailure: @escaping @Sendable (AuthStateError) -> Void
    ) throws {
        #if os(macOS) || os(Linux)
            guard let name = words.first else { throw unavailable(stage, "The browser command is empty.") }
            do throws(SystemCallError) {
                try ChildProcess.run(words + [page.text]) { status, lastWords in
                    guard status != 0 else { return }
                    let message = "The browser command \(name) ended with status \(status)."
                    onFailure(unavailable(stage, message, received: lastWords.text))
                }
            } catch {
                throw unavailable(stage, "The browser command \(name) cannot be run.", underlying: error)
            }
        #else
            throw unavailable(stage, "On this platform no command can be run.")
        #endif
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
