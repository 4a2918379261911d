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
        let clientID = try await context.session().withState { state in
            try await state.deleteRegistration()
            return state.snapshot.clientID
        }
        return Report(json: ["unregistered": true, "client_id": .string(clientID)], note: "Unregistered.")
    }
}
