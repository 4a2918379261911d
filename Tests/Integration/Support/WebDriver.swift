import AuthStateKit
import Foundation

/// One session of a WebDriver: commands are JSON over HTTP.
struct WebDriver: Sendable {
    /// An error that the driver reports.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let base: String
    private let session: String

    init(port: Int, chromiumArguments: [String]) async throws {
        let base = "http://127.0.0.1:\(port)"
        try await eventually("chromedriver") { try? await Self.send("GET", "\(base)/status", nil) }
        let options: JSONValue = ["args": .array(chromiumArguments.map(JSONValue.string))]
        let capabilities: JSONValue = ["browserName": "chrome", "goog:chromeOptions": options]
        let answer = try await Self.send("POST", "\(base)/session", ["capabilities": ["alwaysMatch": capabilities]])
        self.base = base
        session = answer["sessionId"]?.stringValue ?? ""
        _ = try await call("POST", "/timeouts", ["pageLoad": 15000, "script": 5000, "implicit": 5000])
    }

    /// Runs a command, and returns its value.
    func call(_ method: TransportRequest.Method, _ command: String, _ body: JSONValue = [:]) async throws -> JSONValue {
        // Not `nil`, which could be JSON's null.
        try await Self.send(method, "\(base)/session/\(session)\(command)", method == "POST" ? .some(body) : .none)
    }

    /// Ends the session and its browser.
    func end() async throws { _ = try await call("DELETE", "") }

    private static func send(_ method: TransportRequest.Method, _ url: String, _ body: JSONValue?) async throws
        -> JSONValue
    {
        guard let url = URL(string: url) else { throw Failure(description: "\(url) is no URL") }
        let answer = try await SystemTransport.shared.send(
            TransportRequest(
                method: method, url: url, headers: ["Content-Type": "application/json"],
                body: body.map { Data($0.serialized()) }, timeout: .seconds(40), maximumResponseBytes: 16 << 20))
        let value = try JSONValue(parsing: Array(answer.body))["value"] ?? .null
        guard answer.status == 200 else {
            let reason = value["message"]?.stringValue?.split(separator: "\n").first ?? "status \(answer.status)"
            throw Failure(description: "\(method) \(url.lastPathComponent): \(reason)")
        }
        return value
    }
}
