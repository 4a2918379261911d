public import ArgumentParser
import AuthStateKit

/// The program: logs in at an OpenID provider, stores the tokens, and prints fresh ones.
public struct AuthStateCommand: AsyncParsableCommand {
    /// The program's help and its commands.
    public static let configuration = CommandConfiguration(
        commandName: "authstate", abstract: "Log in at an OpenID provider, and use tokens that are always fresh.",
        discussion: """
            Data goes to standard output, everything for a user to standard error.

            Exit codes: 0 done; 1 the resource answered with an error; 64 wrong usage; 65 the provider's answer was \
            refused; 69 provider unreachable or failing, try again; 75 the stored state is locked or cannot be used, or the \
            output cannot be written; 77 log in (again); 78 wrong configuration; 126 and 127 'run' cannot start, or \
            find, the program; 130 cancelled.
            """,
        version: "authstate 0.1.0", subcommands: [Demo.self, Provider.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Login",
                subcommands: [
                    Login.self, Register.self, Registration.self, PrintClientMetadata.self, Status.self, Profiles.self,
                ]),
            CommandGroup(
                name: "Token",
                subcommands: [Token.self, Request.self, UserInfo.self, Refresh.self, Exchange.self, Introspect.self]),
            CommandGroup(
                name: "Other programs",
                subcommands: [
                    Run.self, MCP.self, TokenFile.self, GitCredential.self, DockerCredential.self, KubeCredential.self,
                    AWSCredential.self, Proxy.self,
                ]),
            CommandGroup(name: "Logout", subcommands: [Logout.self, Revoke.self]),
        ])

    /// Makes the command with no arguments read.
    public init() {}

    /// Runs the program. The command that the first argument names reads the others by itself, which takes half the time of a look
    /// through all commands; the name of the program in its configuration spares a search for a request of a completion script. What
    /// the command refuses is read, and refused, as part of the whole.
    public static func start() async {
        // A bridge needs libcurl for its first message; reading the arguments takes as long as loading it.
        if CommandLine.arguments.dropFirst().first == "mcp" { Task { SystemTransport.prepare() } }
        await start { arguments in
            let command = allSubcommands.first { $0.name == arguments.first }
            return try? command?.parse(Array(arguments.dropFirst()))
        }
    }
}
