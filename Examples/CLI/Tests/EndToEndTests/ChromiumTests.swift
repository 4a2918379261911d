import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    @Suite("Chromium", .whereChromiumIsInstalled) struct ChromiumTests {
        @Test("a person logs in on the provider's own pages and ends on ours", arguments: [Provider.django, .glewlwyd])
        func login(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            // The screenshot is for people, and outlives the test.
            let screenshot = NSTemporaryDirectory() + "authstate-\(provider.software.rawValue).png"
            try? FileManager.default.removeItem(atPath: screenshot)
            let script = "\(Provider.scripts)/chromium.py"
            let page = authstate.folder("page.json")
            let command =
                "sh -c '\(LoginBrowser.python) \"\(script)\" --screenshot \"\(screenshot)\" \"$0\" > \"\(page)\"'"
            let result = try await authstate(authstate.loginArguments(opening: command) + ["--json"])
            #expect(result.status == 0, "\(result.output) \(result.errors)")
            let shown = try await eventually("the browser's last page", within: .seconds(30)) {
                try? JSONValue(parsing: Array(authstate.folder.text("page.json").utf8))
            }
            #expect(shown["text"]?.stringValue?.contains("You are signed in") == true, "\(shown)")
            #expect(shown["url"]?.stringValue?.hasSuffix("/callback") == true)
            #expect(try #require(FileManager.default.contents(atPath: screenshot)).count > 5000)
            print("The last page of \(provider.testDescription): \(screenshot)")
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where there is no Chromium to drive, unless the providers are required.
    static var whereChromiumIsInstalled: Self {
        .enabled(
            if: Provider.areRequired || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver"),
            "chromedriver is not installed: run \(Provider.installer)")
    }
}
