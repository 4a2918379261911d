import ArgumentParser
import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform

/// Answers kubectl's questions for credentials (ExecCredential of client.authentication.k8s.io) with a fresh token.
struct KubeCredential: Command {
    static let configuration = CommandConfiguration(
        commandName: "kube-credential", _superCommandName: "authstate",
        abstract: "Give kubectl a valid ID token.",
        discussion: """
            Log in once, then let kubectl ask:
              kubectl config set-credentials ada --exec-command=authstate \\
                  --exec-arg=kube-credential --exec-interactive-mode=Never \\
                  --exec-api-version=client.authentication.k8s.io/v1

            kubectl keeps the token until it expires. With --exec-provide-cluster-info and --exec-arg=--server=URL no other \
            cluster gets it.
            """)
    static let stage = AuthStateError.Stage.refresh

    @Option(help: ArgumentHelp("The token that the API server takes: id, or access.", valueName: "kind"))
    var tokenType = TokenType.id

    @Option(
        help: ArgumentHelp(
            "Answer for the cluster at this URL alone; may be repeated. kubectl has to say which one asks.",
            discussion: "kubectl config set-credentials ada --exec-provide-cluster-info", valueName: "url"))
    var server: [String] = []

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var isCalledByPrograms: Bool { true }

    func validate() throws {
        for url in server where Self.name(ofServer: url) == nil {
            throw ValidationError("--server '\(url)' is not the https URL of a cluster.")
        }
    }

    /// The versions of ExecCredential, which have the same members here.
    private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

    func perform(_ context: Context) async throws -> Report {
        // An empty variable is none.
        let question = ProcessInfo.processInfo.environment["KUBERNETES_EXEC_INFO"].flatMap { $0.isEmpty ? nil : $0 }
        let version = try Self.version(asked: question)
        try checkServer(asked: question)
        let (token, end) = try await context.session().withState { state in
            try state.checkIsNotForResource()
            return try await state.freshToken(tokenType, for: "kubectl")
        }
        var status: [String: JSONValue] = ["token": .string(token)]
        if let end { status["expirationTimestamp"] = .string(end.formatted(.iso8601)) }
        let json: JSONValue = ["apiVersion": .string(version), "kind": "ExecCredential", "status": .object(status)]
        return Report(json: json, data: json.printed + [0x0A])
    }

    /// Returns the version that kubectl asks for; the newest without a question.
    static func version(asked: String?) throws -> String {
        guard let asked else { return versions[0] }
        let version = (try? JSONValue(parsing: asked.utf8))?["apiVersion"]?.stringValue
        guard let version, versions.contains(version) else {
            throw AuthStateError(
                .unsupported, stage: .usage, "KUBERNETES_EXEC_INFO asks for another version of ExecCredential.",
                expected: versions.joined(separator: " or "), received: version ?? "none that can be read",
                hint: "Set apiVersion in the exec section of the kubeconfig.")
        }
        return version
    }

    /// Refuses a cluster that the options do not name: a stranger's kubeconfig may name this program for its own cluster.
    func checkServer(asked: String?) throws {
        guard !server.isEmpty else { return }
        let cluster = asked.flatMap { try? JSONValue(parsing: $0.utf8) }?["spec"]?["cluster"]?["server"]?.stringValue
        let name = cluster.flatMap(Self.name(ofServer:))
        guard let name, server.contains(where: { Self.name(ofServer: $0) == name }) else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The token is for another cluster than the one that asks.",
                expected: server.joined(separator: " or "),
                received: cluster?.printable() ?? "a question without a cluster",
                hint: cluster == nil
                    ? "Set provideClusterInfo in the exec section of the kubeconfig."
                    : "Do not use a kubeconfig of a stranger; name the cluster with --server, if it may have the token."
            )
        }
    }

    /// The URL of a cluster in one form; nil for a text that is none.
    private static func name(ofServer url: String) -> String? {
        guard var name = (try? ResourceIdentifier(url))?.rawValue, name.hasPrefix("https://") else { return nil }
        while name.hasSuffix("/") { name.removeLast() }
        return name
    }
}
