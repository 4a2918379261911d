import Foundation
import Testing

/// A D-Bus session with gnome-keyring in it, or with no keyring, for the time of one test.
struct SecretServiceSession: Sendable {
    /// The line that the start script prints.
    private struct Announcement: Decodable {
        var address: String
        var runtime: String
        var keyring_pid: Int32
        var bus_pid: Int32
    }

    /// The value of `DBUS_SESSION_BUS_ADDRESS` in the session.
    let address: String
    /// The value of `XDG_RUNTIME_DIR` in the session.
    let runtime: String
    /// dbus-daemon, whose end is that of the session.
    let bus: pid_t
    /// gnome-keyring-daemon.
    private let keyring: pid_t
    private let program: Program

    /// The variables that lead a program into the session.
    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": runtime] }

    static func run<R: Sendable>(
        keyring: Bool = true, _ body: (SecretServiceSession) async throws -> R
    ) async throws -> R {
        let program = try Program.start(
            ["\(Provider.scripts)/secret-service/start.sh"],
            environment: ["SERVICE": keyring ? "gnome-keyring" : "none"])
        do {
            guard let line = try await program.firstLine() else {
                throw NotInTime(description: "the session did not start (see \(Provider.installer)): \(program.errors)")
            }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            let result = try await body(SecretServiceSession(announcement, program))
            await program.end()
            return result
        } catch {
            await program.end()
            throw error
        }
    }

    private init(_ line: Announcement, _ program: Program) {
        (address, runtime, bus, keyring) = (line.address, line.runtime, line.bus_pid, line.keyring_pid)
        self.program = program
    }

    /// Runs `secret-tool` in the session, with a text as its standard input.
    func secretTool(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await Program.run(
            ["/bin/sh", "-c", #"printf %s "$INPUT" | secret-tool "$@""#, "sh"] + arguments,
            environment: environment.merging(["INPUT": input]) { $1 })
    }

    /// The text of an application's sealing key, as another program reads it.
    func key(of application: String) async throws -> String {
        try await secretTool("lookup", "application", application).output
    }

    /// Locks the keyring; the session cannot ask the user to unlock it.
    func lock() async throws {
        let service = "/org/freedesktop/secrets"
        let result = try await Program.run(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", service,
                "org.freedesktop.Secret.Service.Lock", "array:objpath:\(service)/collection/login",
            ], environment: environment)
        try #require(result.status == 0, "\(result)")
    }

    /// Stops the keyring, which then answers nothing, for the time of a body.
    func whileKeyringHangs(_ body: () async throws -> Void) async rethrows {
        kill(keyring, SIGSTOP)
        defer { kill(keyring, SIGCONT) }
        try await body()
    }

    /// Ends the keyring, as a crash does.
    func endKeyring() { kill(keyring, SIGKILL) }

    /// Whether the programs of the session are installed.
    static let isInstalled: Bool = {
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["dbus-run-session", "dbus-send", "gnome-keyring-daemon", "secret-tool"].allSatisfy { command in
            search.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
        }
    }()
}

extension Trait where Self == ConditionTrait {
    /// Skipped where gnome-keyring is not installed, unless the providers are required.
    static var whereSecretServiceIsInstalled: Self {
        .enabled(
            if: SecretServiceSession.isInstalled || Provider.areRequired,
            "gnome-keyring is not installed: run \(Provider.installer)")
    }
}
