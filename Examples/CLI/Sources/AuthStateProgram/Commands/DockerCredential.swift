import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Answers the questions of docker, podman and skopeo for a user name and a password (the protocol of
/// docker-credential-helpers) with a fresh token.
struct DockerCredential: Command {
    static let configuration = CommandConfiguration(
        commandName: "docker-credential", _superCommandName: "authstate",
        abstract: "Give docker, podman and skopeo a fresh token as the password of a registry.",
        discussion: """
            Log in once. Then name the helper of the registry in ~/.docker/config.json, or containers-auth.json(5):
              {"credHelpers": {"registry.example": "authstate"}}
            and put the helper, docker-credential-authstate, into a folder of PATH:
              #!/bin/sh
              exec authstate docker-credential --host registry.example "$@"
            """)
    static let stage = AuthStateError.Stage.refresh

    /// A question of docker's.
    enum Operation: String, ExpressibleByArgument, CaseIterable {
        case get, store, erase, list
    }

    @OptionGroup
    var servers: CredentialOptions

    @Option(help: ArgumentHelp("The token that the registry takes: access, or id.", valueName: "kind"))
    var tokenType = TokenType.access

    @Argument(help: "What docker wants: get, store, erase or list.")
    var operation: Operation

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var isCalledByPrograms: Bool { true }

    func perform(_ context: Context) async throws -> Report {
        switch operation {
        case .list: return report(.object(Dictionary(servers.host.map { ($0, .string(servers.username)) }) { $1 }))
        case .erase:
            return Report(json: .object([:]), note: "authstate: The login stays; 'authstate logout' ends it.")
        case .store:
            return refusal(
                AuthStateError(
                    .invalidArgument, stage: .usage, "This helper keeps no passwords; it gives the token of a login.",
                    hint: "Run 'authstate login' in place of 'docker login'."))
        case .get: return try await answer(to: try InputFile.read("-"), context)
        }
    }

    private func answer(to question: Data, _ context: Context) async throws -> Report {
        let server = String(decoding: question, as: UTF8.self).prefix { !$0.isNewline }
        guard servers.include(registry: String(server)) else {
            // These words let the program that asks go on without a password.
            let words = "credentials not found in native keychain"
            return Report(json: ["error": .string(words)], lines: [words], status: .resource)
        }
        do {
            let token = try await context.session().withState { state in
                try state.checkIsNotForResource()
                return try await state.freshToken(tokenType, for: "the registry").token
            }
            return report([
                "ServerURL": .string(String(server)), "Username": .string(servers.username), "Secret": .string(token),
            ])
        } catch let error as AuthStateError {
            return refusal(error.advised(for: common, await loginFacts(context)))
        }
    }

    private func report(_ json: JSONValue) -> Report { Report(json: json, data: json.printed + [0x0A]) }

    /// What the program that asks shows is the helper's standard output.
    private func refusal(_ error: AuthStateError) -> Report {
        Report(json: ["error": error.json], lines: ["authstate: \(error)"], status: ExitReason(error.kind))
    }
}
