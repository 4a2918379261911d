public import ArgumentParser
public import AuthStateKit
import AuthStatePlatform

/// A command: it turns its options into a report, and leaves printing, time limit and exit code to `run()`.
public protocol Command: AsyncParsableCommand, Sendable {
    /// The options that every command has.
    var common: CommonOptions { get }
    /// The stage that an error names when the command runs out of time.
    static var stage: AuthStateError.Stage { get }
    /// How long such commands may take, in seconds, unless `--timeout` says otherwise.
    static var timeLimit: Double { get }
    /// How long this one may take.
    var timeLimit: Double { get }
    /// Whether it works until it is interrupted; the time limit is that of each request then.
    var runsUntilInterrupted: Bool { get }
    /// Whether another program runs it again and again, so that a call without a step keeps the report of an earlier one.
    var isCalledByPrograms: Bool { get }
    /// The advice when it takes longer; nil leaves the error's own.
    var timeLimitHint: String? { get }

    /// Returns the facts of the command's login that advice about a failure depends on.
    func loginFacts(_ context: Context) async -> LoginFacts

    /// Does the work.
    ///
    /// - Throws: `AuthStateError`, or `CancellationError`.
    func perform(_ context: Context) async throws -> Report
}

/// The context of a command.
public struct Context: Sendable {
    /// The two streams of the program.
    public let console: Console
    /// How long the command may take, in seconds.
    public let timeLimit: Double
    /// The common options, for the session.
    let common: CommonOptions
    /// The sealing keys, for the session.
    let keys: SealingKeys
    /// Receives every step, for the screen or for a report; nil for neither.
    let trace: LoginTrace?

    /// A browser on this machine, with an announcement for the user.
    ///
    /// The address that is shown is the one-time address, which has neither the request nor a token in it.
    func userAgent(_ browser: Browser, for purpose: AnnouncingUserAgent.Purpose) -> any ExternalUserAgent {
        let browser = browser.announcing { [console] url in
            console.note(
                "If no browser opens, open this address, which works once, to \(purpose.rawValue):\n\n  "
                    + "\(url.absoluteString)\n")
        }
        let agent = LoopbackUserAgent(
            browser: browser, timeout: .seconds(timeLimit),
            refused: { [console] in console.note("The browser brought \($0). Waiting for the right one.") })
        return AnnouncingUserAgent(base: agent, console: console, purpose: purpose)
    }

    /// The place of the stored login.
    ///
    /// - Throws: `AuthStateError` of kind usage or store.
    public func session() async throws -> Session { try await session(.existing) }

    /// The place of the login.
    func session(_ sealing: Session.Sealing) async throws -> Session {
        try await Session(common, timeLimit: timeLimit, console: console, keys: keys, trace: trace, sealing: sealing)
    }

    /// The facts of the stored login.
    func storedFacts() async -> LoginFacts {
        await common.storedRecord(keys).map(LoginFacts.init) ?? LoginFacts()
    }
}

extension Command {
    /// 60 seconds.
    public static var timeLimit: Double { 60 }
    /// The time limit of such commands.
    public var timeLimit: Double { Self.timeLimit }
    /// No.
    public var runsUntilInterrupted: Bool { false }
    /// No.
    public var isCalledByPrograms: Bool { false }
    /// To try again, or to allow more time.
    public var timeLimitHint: String? { "Try again, or allow more time with --timeout." }

    /// Returns the facts of the stored login.
    public func loginFacts(_ context: Context) async -> LoginFacts { await context.storedFacts() }

    /// The sealing keys that the command needs.
    var keys: SealingKeys { SealingKeys(limit: .seconds((common.timeout ?? timeLimit) * 0.9)) }

    /// Does the work within its time, prints what comes of it, and ends with its exit code.
    ///
    /// - Throws: `ExitCode`.
    public func run() async throws { try await run(keys) }

    /// Runs with sealing keys, some of which may be known.
    func run(_ keys: SealingKeys) async throws { try await CommandRun(command: self, keys: keys).run() }
}

/// The course of any command: once, and not once for each type of command.
private struct CommandRun {
    let command: any Command
    let keys: SealingKeys

    /// Whether a report shows more of the failure of a login than its message.
    private func isExplainedByReport(_ error: AuthStateError) -> Bool {
        command is Login && ![.usage, .store, .cancelled].contains(error.kind) && !command.common.json
            && ![.browserUnavailable, .credentialUnavailable].contains(error.code)
    }

    func run() async throws {
        let common = command.common
        let limit = common.timeout ?? command.timeLimit
        let console = Console(isJSON: common.json, isServing: command.runsUntilInterrupted)
        let file: ReportFile?
        do { file = try common.report.map(ReportFile.init) } catch let error as AuthStateError {
            console.show(error)
            throw ExitCode(ExitReason(error.kind).rawValue)
        }
        let stage = type(of: command).stage
        let steps = StepCount()
        let trace = LoginTrace(common, console, steps)
        let context = Context(console: console, timeLimit: limit, common: common, keys: keys, trace: trace)
        var status: ExitReason
        var failure: AuthStateError?
        var replacement: Replacement?
        do {
            let seconds = command.runsUntilInterrupted ? nil : limit
            let report = try await TimeLimit.run(seconds: seconds, stage: stage, hint: command.timeLimitHint) {
                try await command.perform(context)
            }
            (status, replacement) = (
                console.show(report) || report.status != .done ? report.status : .store, report.replacement
            )
        } catch {
            let error = AuthStateError(ending: error, stage: stage)
                .advised(for: common, await command.loginFacts(context))
            console.show(error)
            if file == nil, isExplainedByReport(error) {
                console.note("Add --report login.html to see each step of the login.")
            }
            (status, failure) = (ExitReason(error.kind), error)
        }
        if let file, let trace, !(command.isCalledByPrograms && steps.isZero && failure == nil && file.exists) {
            do { try file.write(trace, failure: failure) } catch {
                console.note("authstate: The report could not be written to \(common.report ?? ""): \(error).")
            }
        }
        console.finish()
        if let replacement {
            let end = replacement.start()
            console.note("authstate: The program cannot be started: \(end.message).")
            status = end.status
        }
        if status != .done { throw ExitCode(status.rawValue) }
    }
}

extension AuthStateError {
    /// Any error that ends a command, in the terms of the others.
    public init(ending error: any Error, stage: Stage) {
        switch error {
        case let error as AuthStateError: self = error
        case is CancellationError: self.init(.cancelled, stage: stage, "Cancelled.")
        default: self.init(.providerError, stage: stage, "This went wrong in an unexpected way.", underlying: error)
        }
    }
}

extension CommonOptions {
    /// Returns the stored login, without the warnings, which the command shows; nil where it cannot be read.
    func storedRecord(_ keys: SealingKeys) async -> AuthState.Record? {
        let key = AuthStateKey(rawValue: profile)
        guard let file = try? StateLocation(self).store(key: key),
            let place = try? await SealedPlace.existing(file, key, keys),
            let stored = try? await place.store.load(key)
        else { return nil }
        return try? AuthStateArchive(data: stored.archive).record
    }
}
