import AuthStateKit
import AuthStateTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthStateHummingbird
@testable import WebServer

@Suite(.timeLimit(.minutes(5)))
struct LogoutTests {
    @Test("the grant is revoked, the state removed, and the browser sent to end the provider's session too")
    func logout() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var browser = site.visitor()
            try await browser.logIn()
            let before = browser
            let answer = try await browser.post("/logout", ["token": try await browser.formToken()])
            let location = try #require(answer.lead)
            #expect(location.hasPrefix("\(site.provider.issuer)/logout?id_token_hint="))
            #expect(location.contains("post_logout_redirect_uri=http%3A%2F%2Flocalhost%2Flogout"))
            let revoked = site.provider.requests(at: .revocation).map { $0.parameters["token_type_hint"] }
            #expect(revoked == ["refresh_token", "access_token"])
            #expect(folder.states == 0)
            #expect(browser.cookies["__Host-session"] == nil)

            // Also for a thief who kept the cookie.
            var stolen = before
            #expect(try await stolen.get("/profile").status == .forbidden)
            #expect(try await browser.get("/logout").text.contains("You are signed out"))
            #expect(try await browser.get("/profile").text.contains("Please sign in"))
        }
    }

    @Test("the return from the provider is accepted in the browser that left, with its own state, and once")
    func wayBack() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            let answer = try await browser.post("/logout", ["token": try await browser.formToken()])
            let page = try #require(answer.lead.flatMap(URL.init(string:)))
            let back = try await SystemTransport.shared.send(TransportRequest(url: page))
            let path = String(try #require(back.headers["Location"]?.dropPrefix("http://localhost")))
            #expect(path.hasPrefix("/logout?state="))

            // Any page can make a browser come here; the page claims no confirmed logout, and the pending one stays.
            for forged in ["/logout", "/logout?state=another"] {
                let text = try await browser.get(forged).text
                #expect(text.contains("You are signed out") && text.contains("did not confirm"))
            }
            let confirmed = try await browser.get(path).text
            #expect(confirmed.contains("You are signed out") && !confirmed.contains("did not confirm"))
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test(
        "only the form of our own page signs out", arguments: ["no token", "wrong token", "no origin", "other origin"])
    func forgery(_ defect: String) async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            let token = try await browser.formToken()
            var other = site.visitor()
            try await other.logIn()
            let form: FormParameters =
                switch defect {
                case "no token": [:]
                case "wrong token": ["token": try await other.formToken()]
                default: ["token": token]
                }
            let origin: String? =
                switch defect {
                case "no origin": nil
                case "other origin": "https://evil.example"
                default: "http://localhost"
                }
            #expect(try await browser.post("/logout", form, origin: origin).status == .forbidden)
            // A signed-in user is not told that they are signed out.
            #expect(try await browser.get("/logout").status == .seeOther)
            #expect(try await browser.get("/profile").status == .ok)
            #expect(site.provider.requests(at: .revocation).isEmpty)
        }
    }

    @Test(
        "a provider that cannot revoke, or has no page for it, leaves no user signed in here", arguments: [false, true])
    func without(isFailing: Bool) async throws {
        let folder = Folder()
        try await Site.run(
            folder: folder,
            provider: { configuration in
                guard !isFailing else { return }
                configuration.deviations.metadata = {
                    $0["revocation_endpoint"] = nil
                    $0["end_session_endpoint"] = nil
                }
            }
        ) { site in
            if isFailing { site.provider.inject(.status(500), at: .revocation) }
            var browser = site.visitor()
            try await browser.logIn()
            let answer = try await browser.post("/logout", ["token": try await browser.formToken()])
            #expect((answer.lead != nil) == isFailing && (answer.headers[.location] == "/logout") == !isFailing)
            #expect(folder.states == 0)
            // Without a page of the provider's nothing has ended the session there.
            #expect(try await browser.get("/logout").text.contains("did not confirm"))
        }
    }

    @Test("a failing store leaves no user signed in whose grant was revoked")
    func failingStore() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var browser = site.visitor()
            try await browser.logIn()
            let before = browser
            let token = try await browser.formToken()
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".lock") {
                try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
                try FileManager.default.createDirectory(
                    atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            }
            #expect(try await browser.post("/logout", ["token": token]).lead != nil)
            #expect(site.provider.requests(at: .revocation).count == 2)
            #expect(browser.cookies["__Host-session"] == nil)
            #expect(try await browser.get("/").text.contains("You are not signed in"))
            var stolen = before
            #expect(try await stolen.get("/profile").status != .ok)
        }
    }

    @Test(
        "the provider's logout token may be as long as 64 KiB; a longer body is answered as a bad token is",
        arguments: [(60_000, HTTPResponse.Status.ok), (70_000, .badRequest)])
    func logoutToken(_ length: Int, _ status: HTTPResponse.Status) async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            var provider = site.visitor()
            let token = try site.provider.logoutToken(for: "site", subject: "248289761001")
            let form: FormParameters = ["logout_token": token, "x": String(repeating: "x", count: length)]
            let answer = try await provider.post("/backchannel-logout", form, origin: nil)
            #expect(answer.status == status && answer.headers[.cacheControl] == "no-store")
            #expect(try await browser.get("/profile").status == (status == .ok ? .forbidden : .ok))
        }
    }

    @Test("a form that is too long is refused")
    func longForm() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            let form: FormParameters = ["token": String(repeating: "x", count: 10_000)]
            #expect(try await browser.post("/logout", form).status == .contentTooLarge)
        }
    }
}
