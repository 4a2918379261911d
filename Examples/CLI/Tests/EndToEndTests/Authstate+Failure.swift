import AuthStateKit
import Foundation
import Testing

extension Authstate {
    /// A command line for a browser that keeps cookies: it opens the one-time address, then the script, which knows the
    /// provider's `page` and its `query`, calls `visit(url)`.
    func visitor(_ script: String) throws -> String {
        try browser(
            """
            import sys, urllib.error, urllib.parse, urllib.request
            class Stay(urllib.request.HTTPRedirectHandler):
                def redirect_request(*_):
                    return None
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), Stay)
            def visit(url):
                try:
                    return opener.open(url)
                except urllib.error.HTTPError as answer:
                    return answer
            page = visit(sys.argv[1]).headers["Location"]
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(page).query)

            """ + script)
    }

    /// A command line for a browser written in Python.
    func browser(_ script: String) throws -> String {
        "\(LoginBrowser.python) '\(try folder.file("browser.py", containing: script))'"
    }

    /// A login with another browser.
    func loginArguments(client: String = "public", opening command: String) -> [String] {
        loginArguments(client: client).with("--browser-command", command)
    }

    /// A command fails in one clear line, and with `--json` in one object that says the same.
    func expectFailure(
        _ arguments: [String], _ status: Int32, _ codes: Set<AuthStateError.Code>, stage: AuthStateError.Stage,
        hint: String?, location: SourceLocation = #_sourceLocation
    ) async throws {
        let plain = try await self(arguments)
        let lines = plain.errors.split(separator: "\n").filter { $0.hasPrefix("authstate: ") }
        #expect(plain.status == status && plain.output.isEmpty, "\(plain)", sourceLocation: location)
        #expect(lines.count == 1, "\(plain.errors)", sourceLocation: location)
        if let hint { #expect(lines.first?.contains(hint) == true, "\(plain.errors)", sourceLocation: location) }

        let json = try await self(arguments + ["--json"])
        #expect(json.status == status, "\(json)", sourceLocation: location)
        let error = try json.json()["error"]
        let code = try #require(error?["code"]?.stringValue, "\(json.output)", sourceLocation: location)
        #expect(codes.contains(.init(rawValue: code)), "\(json.output)", sourceLocation: location)
        #expect(error?["stage"]?.stringValue == stage.rawValue, "\(json.output)", sourceLocation: location)
        #expect(error?["hint"]?.stringValue?.isEmpty == false, "\(json.output)", sourceLocation: location)
        let message = try #require(error?["message"]?.stringValue, sourceLocation: location)
        #expect(lines.first?.contains(message) == true, "\(plain.errors)", sourceLocation: location)
    }
}
