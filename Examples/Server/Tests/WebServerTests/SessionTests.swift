import AuthStateKit
import AuthStateTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthStateHummingbird
@testable import WebServer

@Suite(.timeLimit(.minutes(5)))
struct SessionTests {
    @Test("an expired access token is renewed on the way, once for all concurrent requests")
    func renewal() async throws {
        try await Site.run(provider: { $0.accessTokenLifetime = .seconds(100) }) { site in
            var browser = site.visitor()
            try await browser.logIn()
            #expect(site.provider.statistics.refreshRequests == 0)
            for round in 1...3 {
                site.clock.advance(by: .seconds(101))
                let visitor = browser
                try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            var visitor = visitor
                            return try await visitor.get("/profile").status
                        }
                    }
                    for try await status in group { #expect(status == .ok) }
                }
                #expect(site.provider.statistics.refreshRequests == round)
            }
            #expect(site.provider.statistics.refreshTokenReuses == 0)
        }
    }

    @Test("a session outlives the server's process, sealed or not", arguments: [false, true])
    func restart(isSealed: Bool) async throws {
        let folder = Folder()
        // Files have the system's time, which the sweep at the start compares.
        let clock = ManualClock(startingAt: Date())
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [OpenIDProvider.Client(id: "site", redirectURIs: ["http://localhost/callback"])]
        configuration.accessTokenLifetime = .seconds(100)
        let provider = try await OpenIDProvider(configuration: configuration, clock: clock.wallClock)
        let jar = Jar()
        let keys = isSealed ? [try SealingKey.random()] : []
        try await Site.run(folder: folder, sealingKeys: keys, provider, clock) { site in
            var browser = site.visitor()
            try await browser.logIn()
            await jar.keep(browser.cookies)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let text = try names.map { try String(contentsOfFile: "\(folder.path)/\($0)", encoding: .utf8) }.joined()
            #expect(text.contains("refreshToken") != isSealed)
        }
        clock.advance(by: .seconds(1000))
        try await Site.run(folder: folder, sealingKeys: keys, provider, clock) { site in
            var browser = site.visitor()
            browser.cookies = await jar.cookies
            let profile = try await browser.get("/profile")
            #expect(profile.text.contains("Ada Lovelace"))
        }
        #expect(provider.statistics.refreshRequests == 1)
        await provider.stop()
    }

    @Test("a session whose sealing key is lost does not prevent a new sign-in")
    func lostKey() async throws {
        let folder = Folder()
        let clock = ManualClock()
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [OpenIDProvider.Client(id: "site", redirectURIs: ["http://localhost/callback"])]
        let provider = try await OpenIDProvider(configuration: configuration, clock: clock.wallClock)
        let jar = Jar()
        try await Site.run(folder: folder, sealingKeys: [try SealingKey.random()], provider, clock) { site in
            var browser = site.visitor()
            try await browser.logIn()
            await jar.keep(browser.cookies)
        }
        try await Site.run(folder: folder, sealingKeys: [try SealingKey.random()], provider, clock) { site in
            var browser = site.visitor()
            browser.cookies = await jar.cookies
            #expect(try await browser.get("/profile").status == .serviceUnavailable)
            try await browser.logIn()
            #expect(try await browser.get("/profile").text.contains("Ada Lovelace"))
        }
        await provider.stop()
    }

    @Test("a user whose stored session is damaged is asked to sign in, and the damaged state is removed then")
    func damagedAtRest() async throws {
        let folder = Folder()
        let clock = ManualClock()
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [OpenIDProvider.Client(id: "site", redirectURIs: ["http://localhost/callback"])]
        let provider = try await OpenIDProvider(configuration: configuration, clock: clock.wallClock)
        let jar = Jar()
        try await Site.run(folder: folder, provider, clock) { site in
            var browser = site.visitor()
            try await browser.logIn()
            await jar.keep(browser.cookies)
        }
        let damaged = try folder.damageStates()
        try await Site.run(folder: folder, provider, clock) { site in
            var browser = site.visitor()
            browser.cookies = await jar.cookies
            let profile = try await browser.get("/profile")
            #expect(profile.status == .forbidden && profile.text.contains("Please sign in"))
            #expect(try await browser.get("/").text.contains("You are not signed in"))
            #expect(damaged.allSatisfy(FileManager.default.fileExists), "reading leaves it as it is")
            try await browser.logIn()
            #expect(try await browser.get("/profile").text.contains("Ada Lovelace"))
            #expect(!damaged.contains(where: FileManager.default.fileExists))
        }
        await provider.stop()
    }

    @Test("a user whose session is damaged while it is in use is asked to sign in again, and can")
    func damagedInUse() async throws {
        let folder = Folder()
        try await Site.run(folder: folder, provider: { $0.accessTokenLifetime = .seconds(100) }) { site in
            var browser = site.visitor()
            try await browser.logIn()
            _ = try folder.damageStates()
            site.clock.advance(by: .seconds(101))
            let answer = try await browser.get("/profile")
            #expect(answer.status == .forbidden && answer.text.contains("Please sign in again"))
            try await browser.logIn()
            #expect(try await browser.get("/profile").status == .ok)
        }
    }

    @Test("a session ends after twelve hours, and its stored state is removed")
    func lifetime() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var browser = site.visitor()
            try await browser.logIn()
            site.clock.advance(by: .seconds(12 * 3600 - 1))
            #expect(try await browser.get("/profile").status == .ok)
            site.clock.advance(by: .seconds(1))
            #expect(try await browser.get("/profile").status == .forbidden)
            #expect(folder.states == 0)
        }
    }

    @Test("a user whose grant was revoked is asked to sign in again, and can")
    func revoked() async throws {
        try await Site.run(provider: { $0.accessTokenLifetime = .seconds(100) }) { site in
            var browser = site.visitor()
            try await browser.logIn()
            site.provider.revokeGrants()
            site.clock.advance(by: .seconds(101))
            let answer = try await browser.get("/profile")
            #expect(answer.status == .forbidden && answer.text.contains("Please sign in again"))
            #expect(try await browser.get("/").text.contains("You are not signed in"))
            try await browser.logIn()
            #expect(try await browser.get("/profile").status == .ok)
        }
    }

    @Test("an unreachable provider ends no session")
    func away() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            site.provider.inject(.status(502), at: .userInfo)
            let answer = try await browser.get("/profile")
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
            #expect(try await browser.get("/profile").status == .ok)
        }
    }

    @Test("a wrong answer to a request of this server's own is no fault of the user's sign-in")
    func wrongClaims() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            site.provider.inject(.text(#"{"sub":"another"}"#), at: .userInfo)
            let answer = try await browser.get("/profile")
            #expect(answer.status == .internalServerError && answer.text.contains("Something is wrong here"))
            #expect(try await browser.get("/profile").status == .ok)
        }
    }

    @Test("a provider's claims cannot become markup")
    func escaping() async throws {
        let name = "<script>alert('1')</script>\"&"
        try await Site.run(provider: {
            $0.users = [
                .init(
                    subject: "\"><img>", name: "eve", password: "x", claims: ["name": .string(name), "email": "<b>@x"])
            ]
        }) { site in
            var browser = site.visitor()
            try await browser.logIn()
            for path in ["/", "/profile"] {
                let page = try await browser.get(path).text
                #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;"))
                #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"))
            }
        }
    }

    @Test("the stored state is found by the hash of the cookie, and holds nothing of the cookie itself")
    func secrecy() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var browser = site.visitor()
            try await browser.logIn()
            let secret = try #require(browser.cookies["__Host-session"])
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
                #expect(!name.contains(secret) && !text.contains(secret))
            }
            let parsed = try #require(BrowserSecret(secret))
            #expect(parsed.hash != secret && !"\(parsed)".contains(secret))
            var dumped = ""
            dump(parsed, to: &dumped)
            #expect(!dumped.contains(secret) && !dumped.contains(parsed.hash))
        }
    }
}

/// Cookies on their way from one server to the next.
private actor Jar {
    private(set) var cookies: [String: String] = [:]

    func keep(_ cookies: [String: String]) { self.cookies = cookies }
}
