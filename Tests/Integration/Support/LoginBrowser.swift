import AuthStateKit
import Foundation
import Testing

/// A user with a browser, played by a script: logs in, consents or declines, confirms a logout.
struct LoginBrowser: Sendable {
    static let python = "/usr/bin/python3"

    /// The user's decision where the provider asks for consent.
    enum Decision: Sendable { case accept, decline }

    private let folder: TemporaryFolder
    private let user: String

    /// A browser without any cookies.
    init(user: String = "alice") throws {
        self.user = user
        folder = try TemporaryFolder()
    }

    /// The words of the command that gets the URL as its last argument.
    func words(_ decision: Decision = .accept, follows: Bool = true) -> [String] {
        let refusal = decision == .decline ? ["--deny"] : []
        let following = follows ? ["--follow"] : []
        return [Self.python, "\(Provider.scripts)/browser.py", "--cookies", folder("jar"), "--user", user]
            + ["--trace", folder("trace")] + following + refusal
    }

    /// The same as one line for a shell.
    func commandLine(_ decision: Decision = .accept) -> String {
        words(decision).map { "'\($0)'" }.joined(separator: " ")
    }

    /// The URLs that the browser asked for, in order.
    var visits: [String] {
        get throws {
            try String(contentsOfFile: folder("trace"), encoding: .utf8).split(separator: "\n").compactMap { line in
                line.split(separator: " ").dropFirst().first.map(String.init)
            }
        }
    }

    /// A user agent whose browser this is.
    func userAgent(_ decision: Decision = .accept) -> LoopbackUserAgent {
        LoopbackUserAgent(browser: .command(words(decision)), timeout: .seconds(30))
    }

    /// Logs in at a page, and tells where the provider sends the browser, without going there.
    func redirect(from url: URL) async throws -> URL {
        let result = try await Program.run(words(follows: false) + [url.absoluteString])
        #expect(result.status == 0, "\(result.errors)")
        return try #require(URL(string: result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Goes through a page on which no way leads back to a client: the user's other device.
    func open(_ url: URL, _ decision: Decision = .accept) async throws {
        let result = try await Program.run(words(decision) + [url.absoluteString])
        #expect(result.status == 0, "\(result.errors)")
    }
}
