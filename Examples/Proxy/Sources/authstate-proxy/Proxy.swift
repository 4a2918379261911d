import ArgumentParser
import AuthStateKit
import AuthStatePlatform
import AuthStateProgram
import Dispatch

/// Adds access tokens to the requests of a program on this machine.
@main
struct Proxy: Command {
    static let configuration = CommandConfiguration(
        commandName: "authstate-proxy", abstract: "Add fresh access tokens to the requests of a local program.",
        usage: "authstate proxy <url> [<options>]",
        discussion: """
            Prints the base URL that the program uses in place of the API's, then serves until it is interrupted:
              authstate proxy https://api.example/v1
              authstate proxy --port 8080 --profile work https://api.example/v1
              curl http://127.0.0.1:8080/KEY/items

            It listens on this machine alone. The base URL has a new key in it at each start: give it only to programs \
            that may use the login. Authorization, DPoP and cookies of the program are not passed on, and web pages are \
            refused. Answers are passed on as they come, streams included. --timeout is the time until an answer begins.
            """,
        version: AuthStateCommand.configuration.version)
    static let stage = AuthStateError.Stage.resource

    @Option(help: ArgumentHelp("The port on this machine; 0 means any free one.", valueName: "port"))
    var port = 0

    @Flag(help: "Serve without a key: every program and every user of this machine can then use the login.")
    var noKey = false

    @Option(
        help: ArgumentHelp(
            "Pass on only such requests, by method and path below the base URL: 'GET /items/*'; may be repeated.",
            discussion: "In a segment * stands for characters; ** stands for any number of segments. Default: all.",
            valueName: "rule"), transform: ProxyRule.init)
    var allow: [ProxyRule] = []

    @Option(
        help: ArgumentHelp(
            "Listen on a Unix socket too, which needs no key: programs of this user alone can reach it.",
            valueName: "path"), transform: FileName.expanded)
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Append a line of JSON for each request: time, method, path, status, bytes and how it ended.",
            valueName: "file"), transform: FileName.expanded)
    var audit: String?

    @Option(
        help: ArgumentHelp(
            "Ask at the terminal before a request is passed on: each one, or the first with a method and a path (kind).",
            discussion: "A request waits for the answer for --timeout, and is refused without one.", valueName: "which")
    )
    var confirm: ProxyConfirmation.Mode?

    @Option(help: ArgumentHelp("End after so many seconds.", valueName: "s"))
    var endAfter: Double?

    @Flag(name: .customLong("until-eof"), help: ArgumentHelp("End at the end of standard input.", visibility: .hidden))
    var isUntilEndOfInput = false

    @Argument(help: "The base URL of the API: https, or http on this machine.")
    var url: String

    @OptionGroup
    var renewal: RenewalOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    var runsUntilInterrupted: Bool { true }

    static func main() async { await start() }

    func validate() throws {
        if let endAfter, !(endAfter > 0 && endAfter <= 31_536_000) {
            throw ValidationError("--end-after has to be more than 0 and at most 31536000 seconds.")
        }
        if !(0...65_535).contains(port) { throw ValidationError("--port has to be a number from 0 to 65535.") }
        do { _ = try ProxyUpstream(url) } catch { throw ValidationError("\(error)") }
    }

    func perform(_ context: Context) async throws -> Report {
        let upstream = try ProxyUpstream(url)
        let login = ProxyLogin(for: upstream, renewal.parameters, context)
        // Without a login, or with one for another API, the command ends at once.
        try await login.open()
        let confirmation = try confirm.map { mode in
            let terminal = try ProxyTerminal()
            return ProxyConfirmation(mode, limit: .seconds(context.timeLimit)) {
                terminal.ask($0, until: $1, unless: $2)
            }
        }
        let audit = try audit.map { try ProxyAudit($0, for: upstream) }
        let server = try await ProxyServer(port: port, socket: socket)
        let gate = ProxyGate(upstream: upstream, key: noKey ? nil : ProxyKey(), port: server.port, rules: allow)
        let log = ProxyLog(context.console, traces: common.trace) { error in
            error.advised(for: common, await loginFacts(context))
        }
        if noKey {
            context.console.note(
                "authstate: Without a key every program and every user of this machine can use the login at \(gate.url)."
            )
        }
        var json: [String: JSONValue] = ["url": .string(gate.url), "upstream": .string("\(upstream)")]
        if let key = gate.key {
            json["base"] = .string(gate.base)
            json["key"] = .string(key.segment)
            if !isUntilEndOfInput {
                context.console.note(
                    "authstate: The URL has the key. Other users of this machine can read the arguments of programs: pass it "
                        + "in a file, a variable or the header field \(ProxyKey.field).")
            }
        }
        if let socket { json["socket"] = .string(socket) }
        context.console.show(Report(json: .object(json), lines: [gate.url]))
        let forwarder = ProxyForwarder(
            gate: gate, login: login, limit: context.timeLimit, log: log, audit: audit, confirmation: confirmation)
        var failure: (any Error)?
        do { try await run(server, forwarder) } catch { failure = error }
        await login.finish()
        // The interruption is the end that the user asks for.
        if let failure, !Task.isCancelled { throw failure }
        return .printed
    }

    /// Serves until the time, or the program that the proxy is for, has ended.
    private func run(_ server: ProxyServer, _ forwarder: ProxyForwarder) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(forwarder) }
            if let endAfter { group.addTask { try await Task.sleep(for: .seconds(endAfter)) } }
            if isUntilEndOfInput { group.addTask { try await Self.endOfInput() } }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Waits for the end of standard input, or for the task to be cancelled.
    private static func endOfInput() async throws {
        let (ends, end) = AsyncStream<Never>.makeStream()
        DispatchQueue(label: "authstate.input").async {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return end.finish() }
            }
        }
        for await _ in ends {}
    }
}
