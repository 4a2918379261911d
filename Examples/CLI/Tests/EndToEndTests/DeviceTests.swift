import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct DeviceTests {
        private static let clients: [Provider: String] = [
            .glewlwyd: "public", .glewlwydTLS: "public", .django: "device",
        ]

        private func arguments(_ authstate: Authstate, browser: [String]) throws -> [String] {
            let client = try #require(Self.clients[authstate.provider.provider])
            let authority = authstate.provider.certificateAuthorityFile.map { ["--ca-file", $0] } ?? []
            // The metadata of django-oauth-toolkit lack the device authorization endpoint.
            let isDjango = authstate.provider.provider == .django
            let endpoint = "\(authstate.provider.issuer)/device-authorization/"
            return [
                "login", "--issuer", authstate.provider.issuer, "--client-id", client, "--grant", "device", "--scope",
                "openid profile email",
            ] + authority + browser + (isDjango ? ["--device-authorization-endpoint", endpoint] : [])
        }

        @Test(
            "shows code and address, opens the page that was asked for, and lives on like any other",
            arguments: Provider.complete)
        func life(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let browser = ["--browser-command", authstate.browser.commandLine()]
            let login = try await authstate(arguments(authstate, browser: browser))
            try #require(login.status == 0, "\(login.errors)")
            #expect(login.output.isEmpty && login.errors.contains("enter the code:"))
            let page = try #require(
                login.errors.split(separator: "\n").map { $0.drop { $0 == " " } }.first { $0.hasPrefix("http") })
            let other = try #require(
                login.errors.split(separator: "\n").map { $0.drop { $0 == " " } }.last { $0.hasPrefix("http") })
            #expect(
                other.hasPrefix(page) && other.contains("?"), "the page with the code in it, beside the one without")

            let status = try await authstate.json("status")
            #expect(status["grant"] == "urn:ietf:params:oauth:grant-type:device_code" && status["can_renew"] == true)
            let first = try await authstate.json("token")["access_token"]
            #expect(try await authstate.json("refresh")["authorized"] == true)
            #expect(try await authstate.json("token")["access_token"] != first)
        }

        @Test("the user refuses")
        func refused() async throws {
            // glewlwyd has no way to refuse.
            let authstate = try Authstate(.django)
            let browser = ["--browser-command", authstate.browser.commandLine(.decline)]
            let result = try await authstate(arguments(authstate, browser: browser) + ["--json"])
            #expect(result.status == 77, "\(result)")
            #expect(try result.json()["error"]?["code"] == "accessDenied")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test("not confirmed in time, or interrupted", arguments: [Provider.glewlwyd])
        func given(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let late = try await Program.run(
                [Authstate.path] + arguments(authstate, browser: [])
                    + ["--state", authstate.stateFile, "--timeout", "2", "--json"])
            #expect(late.status == 69)
            #expect(try late.json()["error"]?["code"] == "timedOut")
            #expect(late.output.contains("--timeout") && !late.output.contains("redirect"), "\(late.output)")

            let waiting = try authstate.start(arguments(authstate, browser: []))
            try await eventually("the code") { waiting.errors.contains("enter the code:") ? () : nil }
            waiting.send(SIGINT)
            #expect(try await waiting.result(within: .seconds(10)).status == 130)
        }

        @Test func `at a provider without it, or with another endpoint`() async throws {
            let authstate = try Authstate(.django)
            let login = ["login", "--issuer", authstate.provider.issuer, "--client-id", "device", "--grant", "device"]
            try await authstate.expectFailure(
                login, 78, [.endpointMissing], stage: .authorization, hint: "--device-authorization-endpoint")
            let elsewhere = "\(authstate.provider.issuer)/nowhere/"
            let result = try await authstate(login + ["--device-authorization-endpoint", elsewhere, "--json"])
            #expect(result.status == 65, "\(result)")
            #expect(try result.json()["error"]?["http_status"] == 404)
            #expect(result.output.contains("the endpoint is the right one"))
        }
    }
}
