public import ArgumentParser
import AuthStateKit

extension AsyncParsableCommand {
    /// Runs a program of which this is the root command, and ends the process with its exit code.
    ///
    /// - Parameter shortcut: Returns the command for arguments that need no look at all commands; nil leaves them to the root.
    public static func start(shortcut: ([String]) -> (any ParsableCommand)? = { _ in nil }) async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try shortcut(arguments) ?? parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let error =
                exitCode(for: error).rawValue == ExitReason.usage.rawValue
                ? Mistyped.first(in: arguments, of: self).map { ValidationError("\($0)") } ?? error : error
            reportUsage(error, arguments)
            exit(withError: error)
        }
    }

    /// An invalid call is an error like any other to a program that reads JSON.
    private static func reportUsage(_ error: any Error, _ arguments: [String]) {
        // A command that ends with an exit code has printed its output already.
        guard !(error is ExitCode), exitCode(for: error).rawValue == ExitReason.usage.rawValue,
            arguments.prefix(while: { $0 != "--" }).contains("--json")
        else { return }
        let error = AuthStateError(.invalidArgument, stage: .usage, message(for: error))
        Console(isJSON: true).show(error)
        exit(withError: ExitCode(ExitReason.usage.rawValue))
    }
}
