import AuthStateKit
import Foundation
import Testing

extension Authstate {
    /// A user who knows the URL of an API, and no provider.
    init() throws { try self.init(nil as ProviderProcess?) }

    func loginArguments(
        for resource: String, _ options: [String] = [], decision: LoginBrowser.Decision = .accept
    ) -> [String] {
        ["login", "--for", resource, "--browser-command", browser.commandLine(decision)] + options
    }

    /// Logs in for an API, which has to succeed.
    @discardableResult
    func logIn(for resource: String, _ options: String...) async throws -> JSONValue {
        let result = try await self(loginArguments(for: resource, options) + ["--json"])
        try #require(result.status == 0, "\(result.output) \(result.errors)")
        return try result.json()
    }

    /// The arguments of a request that calls a tool, its body and headers in files.
    func toolArguments(_ tool: ToolCall, at resource: String) throws -> [String] {
        let request = try tool.request(to: resource)
        let body = try folder.file("body", containing: String(decoding: request.body ?? Data(), as: UTF8.self))
        let lines = request.headers.map { "\($0.name): \($0.value)\n" }.joined()
        return ["request", "-X", "POST", "-d", "@\(body)", "-H", "@\(try folder.file("headers", containing: lines))"]
            + [resource]
    }

    /// Calls a tool, which has to succeed, and returns the text of its answer.
    func call(
        _ tool: String, _ arguments: [String: JSONValue] = [:], at resource: String, _ options: String...
    ) async throws -> String {
        let call = try toolArguments(ToolCall(name: tool, arguments: arguments), at: resource)
        let result = try await self(call + options)
        try #require(result.status == 0, "\(result.output) \(result.errors)")
        let answer = try JSONValue(parsing: Array(result.output.utf8))
        return try #require(answer["result"]?["content"]?.arrayValue?.first?["text"]?.stringValue)
    }

    /// Calls a tool that needs more rights than a first login gets.
    func writeNote(at resource: String, _ options: [String] = []) async throws -> Program.Result {
        try await self(
            try toolArguments(ToolCall(name: "write_note", arguments: ["text": "x"]), at: resource) + options)
    }

    /// The options of a request that may open the browser.
    func stepUp(_ decision: LoginBrowser.Decision = .accept) -> [String] {
        ["--step-up", "--browser-command", browser.commandLine(decision)]
    }
}

extension [ResourceServer.Seen] {
    /// The number of requests to a path.
    func count(of path: String) -> Int { count { $0.path == path } }
}
