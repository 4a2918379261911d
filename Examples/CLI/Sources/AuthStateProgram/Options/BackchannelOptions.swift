import ArgumentParser
import AuthStateKit

/// Options for a backchannel authentication; `--login-hint` names the user.
struct BackchannelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A short text that the user sees here and where the provider asks them, with --grant ciba.",
            valueName: "text"))
    var bindingMessage: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable with the code that the user shares with the provider, with --grant ciba.",
            valueName: "var"))
    var userCodeEnv: String?

    func validate() throws { try SecretVariable.check(userCodeEnv, of: "--user-code-env") }

    /// The first option that was given.
    var firstGiven: String? {
        bindingMessage.map { _ in "--binding-message" } ?? userCodeEnv.map { _ in "--user-code-env" }
    }

    /// The code, from its environment variable.
    func userCode() throws -> String? {
        try SecretVariable.read(userCodeEnv, holding: "the user's code", stage: .authorization)
    }
}
