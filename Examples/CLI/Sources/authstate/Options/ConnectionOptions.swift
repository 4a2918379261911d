import ArgumentParser

/// Which provider it is, and how it is reached; remembered with the login.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The provider, exactly as it writes itself.", valueName: "url"))
    var issuer: String

    @Option(
        help: ArgumentHelp(
            "Seconds that clocks may differ, and that tokens are renewed ahead of their end. Default: 60.",
            valueName: "s"))
    var leeway: Double?

    @Flag(name: .customLong("allow-insecure-http"), help: "Allow http for a provider that is not on this machine.")
    var allowInsecureHTTP = false

    @Option(name: .customLong("ca-file"), help: ArgumentHelp("Trust these authorities too.", valueName: "pem"))
    var certificateAuthorityFile: String?

    func validate() throws {
        if issuer.isEmpty { throw ValidationError("--issuer must not be empty.") }
        if let leeway, !(leeway >= 0 && leeway <= 86_400) {
            throw ValidationError("--leeway has to be from 0 to 86400 seconds.")
        }
    }
}
