import ArgumentParser
import AuthStateKit

/// Whether a request may lead to a login for more rights, and where its page is shown.
struct StepUpOptions: ParsableArguments {
    @Flag(
        name: .customLong("step-up"),
        help: ArgumentHelp(
            "With a login by 'login --for': log in again when the API asks for more rights, or takes no renewed token.")
    )
    var isAllowed = false

    @OptionGroup
    var browser: BrowserOptions

    @Flag(help: "Show the address, and take the one that the browser ends at from standard input.")
    var paste = false

    func validate() throws {
        if !isAllowed, let option = pageOption { throw ValidationError("\(option) goes with --step-up.") }
        if paste, browser.browserCommand != nil { throw ValidationError("--paste goes without --browser-command.") }
    }

    private var pageOption: String? { paste ? "--paste" : browser.browserCommand.map { _ in "--browser-command" } }
}
