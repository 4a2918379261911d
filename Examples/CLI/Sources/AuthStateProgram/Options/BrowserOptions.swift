import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// The browser that opens the provider's pages.
struct BrowserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run this instead of the browser; the address is its last argument.",
            discussion: "Split into words as a shell does, but not given to one.", valueName: "cmd"))
    var browserCommand: String?

    func validate() throws { _ = try words() }

    /// The browser to use.
    ///
    /// - Throws: `AuthStateError` with `.browserUnavailable` on a machine without a display.
    func browser(
        for stage: AuthStateError.Stage, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Browser {
        if let words = try words() { return .command(words) }
        guard Browser.system.isAvailable(environment: environment) else {
            throw AuthStateError(.browserUnavailable, stage: stage, "This machine has no display for a browser.")
        }
        return .system
    }

    private func words() throws -> [String]? {
        guard let browserCommand else { return nil }
        let words: [String]
        do { words = try Browser.split(browserCommand) } catch let error as AuthStateError {
            throw ValidationError("--browser-command: \(error.message)")
        }
        guard !words.isEmpty else { throw ValidationError("--browser-command has to name a program.") }
        return words
    }
}
