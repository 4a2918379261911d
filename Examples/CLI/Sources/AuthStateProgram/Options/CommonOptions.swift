public import ArgumentParser
import AuthStateKit

/// The options of every command.
public struct CommonOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("The file that has the login. Default: a folder below $XDG_STATE_HOME.", valueName: "file"),
        transform: FileName.expanded)
    var state: String?

    @Flag(help: "Keep the login below $XDG_RUNTIME_DIR, which is removed when the user logs out of this machine.")
    var runtime = false

    @Option(help: ArgumentHelp("The login's name, to keep several side by side.", valueName: "name"))
    var profile = "default"

    @Option(
        help: ArgumentHelp(
            "The time limit in seconds. Default: 300 for login, logout and mcp, 540 for a login of mcp on another device, "
                + "else 60.",
            valueName: "s"))
    var timeout: Double?

    @Flag(help: "Print one JSON object.")
    var json = false

    /// Whether each step and each HTTP exchange is told on standard error.
    @Flag(help: "Print each step and each HTTP exchange in one line on standard error, without secrets.")
    public var trace = false

    @Option(
        help: ArgumentHelp(
            "Show what happened as a page (.html), or as an archive for a browser's developer tools (.har), without secrets.",
            valueName: "file"), transform: FileName.expanded)
    var report: String?

    /// Makes options with no arguments read.
    public init() {}

    /// Checks the values that were given.
    ///
    /// - Throws: `ValidationError`.
    public func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout has to be more than 0 and at most 86400 seconds.")
        }
        if profile.isEmpty || profile.contains(where: { $0 == "/" || $0 == "\0" }) {
            throw ValidationError("--profile has to be a name without a slash.")
        }
        if state?.isEmpty == true { throw ValidationError("--state has to name a file.") }
        if let report, ReportFile.Form(report) == nil {
            throw ValidationError("--report has to name a file that ends in .html or .har.")
        }
        if runtime, state != nil { throw ValidationError("--runtime goes without --state.") }
    }

    /// The options, but those of the output, as the words of another command.
    var words: [String] {
        var words = ["--profile", profile]
        if let state { words += ["--state", state] }
        if let timeout { words += ["--timeout", "\(timeout)"] }
        return words + (runtime ? ["--runtime"] : []) + (trace ? ["--trace"] : [])
    }

    /// The options that lead another command to the same login, with a blank before each.
    var selection: String {
        (state.map { " --state \($0)" } ?? "") + (runtime ? " --runtime" : "")
            + (profile == "default" ? "" : " --profile \(profile)")
    }

    /// The options that let `login` replace the same login, with a blank before each.
    func loginSelection(for resource: String?) -> String {
        selection + (resource.map { " --for \($0.printable())" } ?? "")
    }
}
