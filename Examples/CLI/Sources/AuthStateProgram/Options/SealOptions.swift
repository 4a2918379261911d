import ArgumentParser
import AuthStateKit

/// How a new login is sealed.
struct SealOptions: ParsableArguments {
    /// The argument of `--seal`.
    enum Choice: ExpressibleByArgument, Hashable, Sendable {
        case none
        case seal(Seal)

        init?(argument: String) {
            let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch (parts[0], parts.dropFirst().first) {
            case ("none", nil): self = .none
            case ("secret-service", nil): self = .seal(.secretService)
            case ("credential", let name?) where Seal.isCredential(name): self = .seal(.credential(name))
            default: return nil
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            """
            Encrypt the stored login with a key from elsewhere: secret-service (the keyring), credential:NAME (systemd), or \
            none. Default: the keyring where there is one.
            """,
            valueName: "place"))
    var seal: Choice?
}
