import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Answers the questions of docker, podman and skopeo for a user name and a password (the protocol of
/// docker-credential-helpers) with a fresh token.
struct DockerCredential: Command {
    static let configuration = CommandConfiguration(
        commandName: "docker-credential",
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

    @Option(
        help: ArgumentHelp(
            "Answer for this registry, with its port unless it is 443; may be repeated. Others get nothing.",
            valueName: "host"), transform: CredentialHosts.name(of:))
    var host: [String] = []

    @Option(help: ArgumentHelp("The user name that the registry expects beside a token.", valueName: "name"))
    var username = "oauth2"

    @Option(help: ArgumentHelp("The token that the registry takes: access, or id.", valueName: "kind"))
    var tokenType = TokenType.access

    @Argument(help: "What docker wants: get, store, erase or list.")
    var operation: Operation

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if host.isEmpty { throw ValidationError("--host has to name the registry that the token is for.") }
        // Docker takes the password beside this name for the token of another protocol.
        if username.isEmpty || username == "<token>" || username.contains(where: { $0.isNewline || ":\0".contains($0) })
        {
            throw ValidationError("--username has to be one line of text without a colon, and not <token>.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        switch operation {
        case .list: return report(.object(Dictionary(host.map { ($0, .string(username)) }) { $1 }))
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
        guard CredentialHosts(host).include(registry: String(server)) else {
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
                "ServerURL": .string(String(server)), "Username": .string(username), "Secret": .string(token),
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
