import AuthStateKit
import AuthStateResource
import Foundation
import MCPClient

/// Lists the tools of an MCP server, or calls one; logs in in the browser where the server asks for it.
@main struct Command {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard let url = words.first, !url.hasPrefix("-") else {
            complain("usage: mcp-client URL [TOOL [NAME=VALUE…]]")
            exit(64)
        }
        do {
            let client = try await connect(to: url)
            let status = try await use(client, words.dropFirst())
            await client.close()
            exit(status)
        } catch {
            complain("mcp-client: \(error)")
            exit(1)
        }
    }

    /// Connects to a server. The access registers this program, opens the browser, and keeps and renews the login.
    static func connect(to url: String) async throws -> MCPClient {
        var program = ClientMetadata()
        program.clientName = "mcp-client"
        var options = AuthState.Options()
        // Servers refuse a session that they do not know with 401, too.
        options.unauthorizedPolicy = .renewOnceForRequest
        let access = try ResourceAccess(
            url, clients: [.registering(program)], login: .presenting(LoopbackUserAgent()),
            store: FileAuthStateStore(folder: stateFolder), stateOptions: options)
        return try await MCPClient.connect(to: access)
    }

    /// Lists the tools, or calls the one that the words name; returns the exit status.
    static func use(_ client: MCPClient, _ words: ArraySlice<String>) async throws -> Int32 {
        let tools = try await client.tools()
        guard let name = words.first else {
            for tool in tools { show("\(tool.name)  \(tool.description ?? "")") }
            return 0
        }
        guard let tool = tools.first(where: { $0.name == name }) else { throw MCPError.unknownTool(name) }
        let result = try await client.call(name, try tool.arguments(words.dropFirst()))
        show(result.text)
        return result.isError ? 1 : 0
    }

    /// The user's folder for the state of programs (XDG Base Directory Specification).
    static var stateFolder: String {
        let environment = ProcessInfo.processInfo.environment
        return (environment["XDG_STATE_HOME"] ?? "\(environment["HOME"] ?? ".")/.local/state") + "/mcp-client"
    }

    /// Prints a server's text, without the characters that control a terminal.
    static func show(_ text: String) {
        for line in text.split(separator: "\n") { print(String(line).printable(10_000)) }
    }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
