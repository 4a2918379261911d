import AuthStateKit
import AuthStatePlatform
import AuthStateResource

/// A login in a process of its own, which outlives the bridge: a host may end a bridge whose first answer takes long, and start
/// it again.
enum BridgeLogin {
    /// What leads to the login, as the other process is told on its standard input.
    struct Reason: Codable, Sendable {
        /// The grant of the login that does not serve; nil for none.
        var grantID: String?
        /// The error, whose challenge leads.
        var error: AuthStateError
    }

    /// The option of the command that makes this process the other one.
    static let option = "--for-bridge"

    /// Logs in, and returns when there is a login that serves.
    ///
    /// - Throws: The error of the login.
    static func run(because reason: Reason, _ arguments: [String] = CommandLine.arguments) async throws {
        var words = Array(arguments.dropFirst())
        words.insert(option, at: min(1, words.count))
        let result = try await ChildProgram.run(
            words, input: try Array(JSONEncoder().encode(reason)), isDetached: true)
        if result.status == ExitReason.done.rawValue { return }
        throw (try? JSONDecoder().decode(AuthStateError.self, from: Data(result.output)))
            ?? AuthStateError(
                .providerError, stage: .authorization, "The process that logs in has ended.",
                received: "exit code \(result.status)", hint: "Try again.")
    }

    /// Logs in, as the other process: one page for all bridges to a server, and none where one of them has logged in since.
    ///
    /// The error goes to standard output for the bridge, and is thrown.
    ///
    /// - Parameter use: Runs a body with the access.
    static func perform(_ use: ((ResourceAccess) async throws -> Void) async throws -> Void) async throws {
        do {
            let reason = try JSONDecoder().decode(Reason.self, from: Data(InputFile.read("-")))
            try await use { access in
                let record = try await access.authState()?.record
                if let record, record.isAuthorized, record.grantID != reason.grantID { return }
                try await access.logIn(because: reason.error)
            }
        } catch {
            let error = AuthStateError(ending: error, stage: .authorization)
            if let data = try? JSONEncoder().encode(error) { _ = writeAll(Array(data), to: STDOUT_FILENO) }
            throw error
        }
    }
}
