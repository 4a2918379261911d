import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends a request to a protected resource.
struct Request: Command {
    static let configuration = CommandConfiguration(
        abstract: "Send a request with a fresh access token; a 401 is answered by one renewal.",
        usage: "authstate request <url> [<options>]",
        discussion: """
            Examples:
              authstate request https://api.example/me
              authstate request -X PUT -d '{"name":"Ada"}' -H "Content-Type: application/json" https://api.example/me
            """)
    static let stage = AuthStateError.Stage.resource

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("Default: GET, with a body POST.", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: ArgumentHelp("The body, sent as it is.", valueName: "body"))
    var body: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header line; may be repeated, but not Authorization.", valueName: "name: value"))
    var headers: [HeaderLine] = []

    @Argument(help: "An http or https URL.")
    var url: String

    @OptionGroup
    var renewal: RenewalOptions

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if headers.contains(where: { $0.name.lowercased() == "authorization" }) {
            throw ValidationError("The Authorization header is set by this command.")
        }
        if URL(string: url)?.host?.isEmpty ?? true { throw ValidationError("'\(url)' is not a URL with a host.") }
    }

    func perform(_ context: Context) async throws -> Report {
        let request = try request()
        let answers = AnswerMemory(of: request.url)
        do {
            let response = try await context.session().withState(transport: answers.watching) { state in
                try await state.performAction(request, parameters: renewal.parameters)
            }
            return ResponseReport(response).report
        } catch let error as AuthStateError where error.stage == .resource {
            // The resource's own words belong to the result, whatever the library made of them.
            guard let response = answers.last else { throw error }
            return ResponseReport(response, error: error.advised(for: common)).report
        }
    }

    private func request() throws -> TransportRequest {
        guard let url = URL(string: url) else {
            throw AuthStateError(.invalidArgument, stage: .usage, "The URL cannot be read.", received: url)
        }
        var request = TransportRequest(method: method ?? (body == nil ? "GET" : "POST"), url: url)
        for line in headers { request.headers.append(line.name, line.value) }
        if let body {
            request.body = Data(body.utf8)
            if request.headers["Content-Type"].isEmpty {
                request.headers["Content-Type"] = ["application/x-www-form-urlencoded"]
            }
        }
        return request
    }
}
