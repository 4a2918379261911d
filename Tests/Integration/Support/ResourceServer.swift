import AuthStateKit
import Foundation
import Testing

/// A protected resource that others wrote, with the authorization servers that it names, for the time of one test.
struct ResourceServer: Sendable {
    /// The software of a resource server.
    enum Software: String { case mcp, fastmcp }

    /// The line that a start script prints.
    private struct Announcement: Decodable {
        var resource: String
        var notes: String?
        var control: String
        var issuer: String
        var control_issuer: String?
        var second_issuer: String?
        var control_second_issuer: String?
        var client_document: String?
        var key_document: String?
        var client_key: String?
    }

    /// A request as a server saw it.
    struct Seen: Decodable, Sendable {
        var method = "GET"
        var path = "/"
        var query = ""
        var headers: [[String]] = []
        var body = ""
        var status: Int?

        /// Everything in which a secret could have been sent: as it came, and without the encodings that hide one.
        var everything: String {
            let text = ([path, query, body] + headers.flatMap(\.self)).joined(separator: "\n")
            let plain = [text] + Self.decodedRuns(of: text)
            return (plain + plain.map(Self.percentDecoded)).joined(separator: "\n")
        }

        private static func percentDecoded(_ text: String) -> String {
            text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
        }

        /// What the parts of a text that can be base64 or base64url encode: HTTP Basic, and the segments of a JWT.
        private static func decodedRuns(of text: String) -> [String] {
            let alphabet = CharacterSet(charactersIn: "+/-_").union(.alphanumerics)
            return text.components(separatedBy: alphabet.inverted).filter { $0.count >= 4 }.compactMap { run in
                var base64 = run.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
                base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
                return Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    let resource: String
    let notes: String
    let issuer: String
    let secondIssuer: String
    let clientDocument: String?
    let keyDocument: String?
    let clientKey: String?
    private let control: String
    private let controlIssuer: String
    private let controlSecondIssuer: String
    private let transport = SystemTransport()

    /// Runs a body with a resource server, and ends it after it.
    static func run<R: Sendable>(
        _ software: Software, _ settings: [String: String] = [:], port: Int = 0,
        _ body: (ResourceServer) async throws -> R
    ) async throws -> R {
        let program = try Program.start(
            ["\(Provider.scripts)/\(software.rawValue)/start.sh", "\(port)"], environment: settings)
        do {
            guard let line = try await program.firstLine() else {
                throw NotInTime(description: "\(software) did not start (see \(Provider.installer)): \(program.errors)")
            }
            let result = try await body(
                ResourceServer(try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))))
            await program.end()
            return result
        } catch {
            await program.end()
            throw error
        }
    }

    /// The port of the resource, at which another server can be started later.
    var port: Int { URL(string: resource)?.port ?? 0 }

    private init(_ line: Announcement) {
        resource = line.resource
        notes = line.notes ?? ""
        issuer = line.issuer
        secondIssuer = line.second_issuer ?? ""
        clientDocument = line.client_document
        keyDocument = line.key_document
        clientKey = line.client_key
        control = line.control
        controlIssuer = line.control_issuer ?? line.control
        controlSecondIssuer = line.control_second_issuer ?? ""
    }

    /// The requests that a server saw.
    enum Party { case resource, first, second }

    private func control(of party: Party) -> String {
        switch party {
        case .resource: control
        case .first: controlIssuer
        case .second: controlSecondIssuer
        }
    }

    func requests(at party: Party) async throws -> [Seen] {
        let url = try #require(URL(string: "\(control(of: party))/requests"))
        return try JSONDecoder().decode([Seen].self, from: try await transport.send(TransportRequest(url: url)).body)
    }

    /// Tells a server to behave in another way.
    func tell(_ party: Party, _ what: String, _ form: String = "") async throws {
        let url = try #require(URL(string: "\(control(of: party))/\(what)"))
        let answer = try await transport.send(
            TransportRequest(
                method: .post, url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Data(form.utf8)))
        #expect(answer.status == 204)
    }
}

/// A call of the Model Context Protocol, revision 2026-07-28: without a session, answered with JSON.
struct ToolCall {
    var name: String
    var arguments: [String: JSONValue] = [:]

    /// The HTTP request.
    func request(to resource: String) throws -> TransportRequest {
        let meta: JSONValue = [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": ["name": "tests", "version": "1"],
            "io.modelcontextprotocol/clientCapabilities": [:],
        ]
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": ["name": .string(name), "arguments": .object(arguments), "_meta": meta],
        ]
        return TransportRequest(
            method: .post, url: try #require(URL(string: resource)),
            headers: [
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
            ], body: Data(call.serialized()))
    }

    /// The text of the answer.
    static func text(_ response: TransportResponse) throws -> String {
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        let json = try JSONValue(parsing: [UInt8](response.body))
        return try #require(json["result"]?["content"]?.arrayValue?.first?["text"]?.stringValue)
    }
}
