import AuthStateKit
import AuthStatePlatform
import AuthStateResource

/// A login in a process of its own, which outlives the bridge: a host may end a bridge whose first answer takes long, and start
/// it again.
enum BridgeLogin {
    /// The option of the command that makes this process the other one.
    static let option = "--for-bridge"

    /// Logs in, and returns when there is a login that serves.
    ///
    /// - Parameters:
    ///   - reason: What leads to the login, as the other process is told on its standard input: the error of a call.
    ///   - tell: Called with an error for the calls that would have to wait until a user has confirmed the login on another
    ///     device: it has the address and the code.
    /// - Throws: The error of the login.
    static func run(
        because reason: AuthStateError, _ arguments: [String] = CommandLine.arguments,
        tell: @escaping @Sendable (AuthStateError) -> Void
    ) async throws {
        var words = Array(arguments.dropFirst())
        words.insert(option, at: min(1, words.count))
        let result = try await ChildProgram.run(
            words, input: try Array(JSONEncoder().encode(reason)), isDetached: true
        ) { line in
            // The last one, without a line's end, is the error of the login.
            if let error = error(in: line) { tell(error) }
        }
        if result.status == ExitReason.done.rawValue { return }
        throw error(in: result.output[(result.output.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)...])
            ?? AuthStateError(
                .providerError, stage: .authorization, "The process that logs in has ended.",
                received: "exit code \(result.status)", hint: "Try again.")
    }

    private static func error(in line: some Sequence<UInt8>) -> AuthStateError? {
        try? JSONDecoder().decode(AuthStateError.self, from: Data(line))
    }

    /// Tells the bridge, as the other process, how a user confirms the login on another device.
    ///
    /// - Parameter limit: The time for the login, in seconds.
    static func tell(_ response: DeviceAuthorizationResponse, within limit: Double) {
        let page = response.verificationURI.absoluteString
        let time = min(response.expiresAt.timeIntervalSinceNow, limit)
        var error = AuthStateError(
            .authorizationPending, stage: .authorization,
            "\(response.request.client.provider.issuer.map { "To log in at \($0): open" } ?? "Open") \(page) on any device, and "
                + "enter the code \(response.userCode).",
            hint: "Repeat the call when the login is confirmed, within \(max(1, Int(time / 60))) min.")
        if let complete = response.verificationURIComplete?.absoluteString {
            error.message += " Or open \(complete), and compare the code."
        }
        if let data = try? JSONEncoder().encode(error) { _ = writeAll(Array(data) + [0x0A], to: STDOUT_FILENO) }
    }

    /// Logs in, as the other process: one page for all bridges to a server, and none where one of them has logged in since.
    ///
    /// The error goes to standard output for the bridge, and is thrown.
    ///
    /// - Parameter use: Runs a body with the access.
    static func perform(_ use: ((ResourceAccess) async throws -> Void) async throws -> Void) async throws {
        do {
            let reason = try JSONDecoder().decode(AuthStateError.self, from: Data(InputFile.read("-")))
            try await use { access in
                try await access.logIn(because: reason)
                // One that cannot be saved would be lost with the end of this process.
                try await access.authState()?.save()
            }
        } catch {
            let error = AuthStateError(ending: error, stage: .authorization)
            if let data = try? JSONEncoder().encode(error) { _ = writeAll(Array(data), to: STDOUT_FILENO) }
            throw error
        }
    }
}
