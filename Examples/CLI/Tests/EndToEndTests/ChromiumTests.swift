import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    @Suite(.whereChromiumIsInstalled) struct ChromiumTests {
        @Test("a user logs in on the provider's own pages and ends on ours", arguments: [Provider.django, .glewlwyd])
        func login(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            #expect(try await logIn(authstate, [])["url"]?.stringValue?.hasSuffix("/callback") == true)
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
        }

        @Test(
            "an answer in the fragment, which the browser keeps to itself, is handed over by our page",
            arguments: [Provider.django, .glewlwyd])
        func fragment(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let shown = try await logIn(authstate, client: "hybrid", ["--response-type", "code id_token"])
            #expect(shown["hasFragment"] == false, "\(shown)")
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
        }

        @Test func `an answer by form post reaches the program`() async throws {
            let authstate = try Authstate(.glewlwyd)
            _ = try await logIn(authstate, ["--response-mode", "form_post"])
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
        }

        /// Logs in, which has to succeed; returns the page that the browser shows at the end.
        private func logIn(
            _ authstate: Authstate, client: String = "public", _ options: [String]
        ) async throws -> JSONValue {
            // The screenshot is for people, and outlives the test. Tests that run at once have one each.
            let mode = (options.last ?? "code").filter(\.isLetter)
            let name = "\(authstate.provider.provider.software.rawValue)-\(mode)"
            let screenshot = NSTemporaryDirectory() + "authstate-\(name).png"
            try? FileManager.default.removeItem(atPath: screenshot)
            let script = "\(Provider.scripts)/chromium.py"
            let page = authstate.folder("page.json")
            let command =
                "sh -c '\(LoginBrowser.python) \"\(script)\" --provider \"\(authstate.provider.issuer)\" --screenshot "
                + "\"\(screenshot)\" \"$0\" > \"\(page)\"'"
            let arguments = authstate.loginArguments(client: client, opening: command)
            let result = try await authstate(arguments + options + ["--json"])
            #expect(result.status == 0, "\(result.output) \(result.errors)")
            let shown = try await eventually("the browser's last page", within: .seconds(30)) {
                try? JSONValue(parsing: Array(authstate.folder.text("page.json").utf8))
            }
            #expect(shown["text"]?.stringValue?.contains("You are signed in") == true, "\(shown)")
            #expect(try #require(FileManager.default.contents(atPath: screenshot)).count > 5000)
            print("The last page of \(name): \(screenshot)")
            return shown
        }
    }
}
