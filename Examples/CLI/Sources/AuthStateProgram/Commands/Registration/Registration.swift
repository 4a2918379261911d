import ArgumentParser
import AuthStateKit

/// Commands for the client that registered itself here.
struct Registration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration", _superCommandName: "authstate",
        abstract: "Show, change or delete the client that was registered here.",
        discussion: """
            For providers that manage registrations (RFC 7592). A new secret in an answer is kept, and so is \
            a new token to manage the registration with.
            """,
        subcommands: [Show.self, Update.self, Delete.self], defaultSubcommand: Show.self)

    /// Shows the registration, as the provider has it.
    struct Show: Command {
        static let configuration = CommandConfiguration(
            abstract: "Print what the provider has registered, without secrets.")
        static let stage = AuthStateError.Stage.registration

        @OptionGroup(title: "Common options")
        var common: CommonOptions

        func perform(_ context: Context) async throws -> Report {
            try await context.session().withRegistration { state in
                let registration = try await state.readRegistration()
                return RegistrationSummary(registration, issuer: state.record.client.provider.issuer).report()
            }
        }
    }

    /// Deletes the client, at the provider and here.
    struct Delete: Command {
        static let configuration = CommandConfiguration(
            abstract: "Delete the client at the provider, and the login with it.")
        static let stage = AuthStateError.Stage.registration

        @Flag(help: "Only forget the client and the login here: the provider has forgotten the client, or is not told.")
        var local = false

        @OptionGroup(title: "Common options")
        var common: CommonOptions

        func perform(_ context: Context) async throws -> Report {
            let session = try await context.session()
            let client = try await session.withRegistration { state in
                let client = state.record.client
                if !local { try await state.deleteRegistration() }
                return client
            }
            if local {
                try await session.forget()
            } else {
                try await session.forgetRegistration(at: client.provider.issuer)
            }
            let clientID = client.id
            return Report(
                json: ["deleted": .bool(!local), "client_id": .string(clientID)],
                note: local ? "Forgotten here." : "Deleted.")
        }
    }
}
