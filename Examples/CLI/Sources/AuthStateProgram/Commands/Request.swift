import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Sends a request to a protected resource.
struct Request: Command {
    static let configuration = CommandConfiguration(
        commandName: "request", _superCommandName: "authstate",
        abstract: "Send a request with a fresh access token; a 401 is answered by one renewal.",
        usage: "authstate request <url> [<options>]",
        discussion: """
            Examples:
              authstate request https://api.example/me
              authstate request -X PUT -d '{"name":"Ada"}' -H "Content-Type: application/json" https://api.example/me
              authstate request -d @body.json -H @headers https://api.example/me

            Log in again in the browser when the API of 'login --for' asks for more rights:
              authstate request --step-up -d @call.json -H @headers https://mcp.example/mcp

            Other users of the machine can read a command's arguments: keep secrets in a file, or on standard input.
            """)
    static let stage = AuthStateError.Stage.resource

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("Default: GET, with a body POST.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp(
            "The body, sent as it is; @ and a file, or @- for standard input, for what is in there.", valueName: "body")
    )
    var body: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "A header line, or @ and a file with such lines; may be repeated, but not Authorization.",
            valueName: "name: value"))
    var headers: [HeaderArgument] = []

    @Argument(help: "An http or https URL.")
    var url: String

    @OptionGroup
    var renewal: RenewalOptions

    @OptionGroup(title: "A login for more rights")
    var stepUp: StepUpOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    /// A login takes a user's time.
    var timeLimit: Double { stepUp.isAllowed ? Login.timeLimit : Self.timeLimit }

    func validate() throws {
        if stepUp.isAllowed, renewal.parameters != .none {
            throw ValidationError("--step-up goes without --scope, --resource and --authorization-details.")
        }
        if stepUp.paste, body == "@-" || headers.contains(.input("-")) {
            throw ValidationError("Standard input is read once: --paste goes without @-.")
        }
        for case .line(let line) in headers where line.isAuthorization {
            throw ValidationError("The Authorization header is set by this command.")
        }
        if body == "@-", headers.contains(.input("-")) {
            throw ValidationError("Standard input is read once: -d @- goes without -H @-.")
        }
        if URL(string: url)?.host?.isEmpty ?? true { throw ValidationError("'\(url)' is not a URL with a host.") }
    }

    func perform(_ context: Context) async throws -> Report {
        let request = try request()
        let answers = AnswerMemory(of: request.url)
        do {
            guard !stepUp.isAllowed else {
                return ResponseReport(try await sendSteppingUp(request, answers, context), of: request.url).report
            }
            // A token for another resource is asked for by name, and goes where the caller sends it.
            let staysAtResource = renewal.resource.isEmpty
            let response = try await context.session().withState(
                transport: answers.watching, staysAtResource: staysAtResource
            ) { state in
                try await state.performAction(request, parameters: renewal.parameters, policy: .renewOnceForRequest)
            }
            return ResponseReport(response, of: request.url).report
        } catch let error as AuthStateError where error.stage == .resource {
            // The resource's own answer is the result, also when the library throws an error for it.
            guard let response = answers.last else { throw error }
            let advised = error.advised(for: common, await loginFacts(context))
            return ResponseReport(response, of: request.url, error: advised).report
        }
    }

    private func request() throws -> TransportRequest {
        guard let url = URL(string: url) else {
            throw AuthStateError(.invalidArgument, stage: .usage, "The URL cannot be read.", received: url)
        }
        var request = TransportRequest(
            method: method.map(TransportRequest.Method.init(rawValue:)) ?? (body == nil ? .get : .post), url: url)
        for line in try headers.flatMap({ try $0.lines }) { request.headers.append(line.name, line.value) }
        if let body {
            request.body = try body.hasPrefix("@") ? InputFile.read(String(body.dropFirst())) : Data(body.utf8)
            if request.headers["Content-Type"] == nil {
                request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            }
        }
        return request
    }
}
