public import AuthStateFoundation
import AuthStateJOSE
public import AuthStateKit
public import AuthStateOAuth
public import AuthStateSystem

extension LoginTrace {
    /// Makes a trace that keeps what it sees, for a report of it: as a page (`htmlReport`), or as a HAR archive (`harArchive`).
    ///
    /// Nothing secret is in either: secrets and claims about the user are shown as their length and the first digits of a digest
    /// that is keyed for this trace, so that equal values can be seen to be equal. The newest 1000 steps and exchanges are kept.
    ///
    /// ```swift
    /// let trace = LoginTrace.recording()
    /// var configuration = AuthorizationService.Configuration()
    /// configuration.trace = trace
    /// // … a login with AuthorizationService(configuration: configuration)
    /// try Data(trace.htmlReport().utf8).write(to: file)
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock for the dates of the entries.
    ///   - sink: Gets every entry too, as with `init(clock:_:)`.
    public static func recording(
        clock: WallClock = .system, _ sink: @escaping @Sendable (Entry) -> Void = { _ in }
    ) -> LoginTrace {
        LoginTrace(clock: clock, recorder: Recorder(), sink)
    }

    /// Returns what happened as one page of HTML: the parties as lanes, requests and redirects as arrows, checks and failures
    /// beside them. It needs nothing from elsewhere and runs no script.
    ///
    /// - Parameters:
    ///   - program: The program's name, for the heading.
    ///   - failure: The error that the program ended with; nil takes the last step, when that is a failure.
    public func htmlReport(program: String = "This program", failure: AuthStateError? = nil) -> String {
        ReportPage(recording, program: program, failure: failure).html
    }

    /// Returns the HTTP exchanges as an HTTP Archive 1.2, which browsers' developer tools open.
    public func harArchive() -> Data { Data(recording.httpArchive.serialized()) }

    /// What was kept; nothing for a trace that `recording(clock:_:)` did not make.
    private var recording: Recording { (recorder as? Recorder)?.recording ?? Recording() }
}
