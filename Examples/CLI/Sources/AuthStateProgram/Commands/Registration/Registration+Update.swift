import ArgumentParser
import AuthStateKit

extension Registration {
    /// Changes the registration.
    struct Update: Command {
        static let configuration = CommandConfiguration(
            abstract: "Change what is registered; what is not named stays as it is.",
            discussion: "What the provider has is read first: an update replaces everything.")
        static let stage = AuthStateError.Stage.registration

        @Option(help: ArgumentHelp("The client's name as users see it.", valueName: "name"))
        var clientName: String?

        @OptionGroup
        var client: RegisteredClientOptions

        @OptionGroup
        var key: KeyOptions

        @OptionGroup(title: "Common options")
        var common: CommonOptions

        func validate() throws {
            try key.validateForRegistration()
            let isNamed = clientName != nil || !client.isEmpty || key.authMethod != nil || key.privateKey != nil
            if !isNamed { throw ValidationError("Name what to change, for example --client-name.") }
        }

        func perform(_ context: Context) async throws -> Report {
            try await context.session().withRegistration { state in
                // The registration may have changed at the provider, and members that are left out are deleted.
                try await state.readRegistration()
                let answer = try await state.updateRegistration(credential: key.credential) { request in
                    if let clientName { request.clientName = clientName }
                    try key.apply(to: &request.metadata)
                    try client.apply(to: &request.metadata)
                }
                return RegistrationSummary(answer, issuer: state.record.client.provider.issuer)
                    .report(note: "Changed.")
            }
        }
    }
}
