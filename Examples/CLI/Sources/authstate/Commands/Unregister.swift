import ArgumentParser
import AuthStateKit

/// Deletes a client that registered itself.
struct Unregister: Command {
    static let configuration = CommandConfiguration(
        abstract: "Delete the client that was registered here, and the login with it.")
    static let stage = AuthStateError.Stage.registration

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let session = try context.session()
        let record = try await session.isEmpty() ? nil : session.load().record
        guard record?.lastRegistrationResponse != nil else {
            throw AuthStateError(
                .invalidArgument, stage: .registration, "No client was registered here.",
                hint: "Choose the registration with --state or --profile; 'authstate logout' ends a login.")
        }
        let clientID = try await session.withState { state in
            try await state.deleteRegistration()
            return state.snapshot.clientID
        }
        return Report(json: ["unregistered": true, "client_id": .string(clientID)], note: "Unregistered.")
    }
}
