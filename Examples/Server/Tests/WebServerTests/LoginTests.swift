import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AuthStateHummingbird
@testable import WebServer

@Suite(.timeLimit(.minutes(5)))
struct LoginTests {
    @Test("a user signs in and sees who they are")
    func login() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            #expect(try await browser.get("/").text.contains("You are not signed in"))
            let answer = try await browser.logIn()
            #expect(answer.headers[.location] == "/profile")
            let profile = try await browser.get("/profile")
            #expect(profile.status == .ok)
            #expect(profile.text.contains("<dd id=\"name\">Ada Lovelace</dd>"))
            #expect(profile.text.contains("<dd id=\"email\">ada@example.com</dd>"))
            #expect(try await browser.get("/").text.contains("<strong id=\"name\">Ada Lovelace</strong>"))
        }
    }

    @Test("cookies are for this host, for HTTP and for TLS alone; the login's is removed after its use")
    func cookies() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            let callback = try await browser.callback()
            let login = try #require(browser.cookies["__Host-login"])
            #expect(login.utf8.count < 1000)
            let answer = try await browser.get(callback)
            for cookie in answer.headers[values: .setCookie] {
                let words = Set(cookie.components(separatedBy: "; "))
                #expect(words.isSuperset(of: ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]), "\(cookie)")
                #expect(!cookie.contains("Domain"))
            }
            #expect(Set(browser.cookies.keys) == ["__Host-session"])
            #expect(Base64URL.decode(browser.cookies["__Host-session"] ?? "")?.count == 32)
        }
    }

    @Test("the session has a new name after each login, and the former one ends")
    func fixation() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var browser = site.visitor()
            let planted = Base64URL.encode(SecureRandom.bytes(32))
            browser.cookies["__Host-session"] = planted
            try await browser.logIn()
            let first = try #require(browser.cookies["__Host-session"])
            #expect(first != planted)

            try await browser.logIn()
            let second = try #require(browser.cookies["__Host-session"])
            #expect(second != first)
            #expect(folder.states == 3)
            for old in [planted, first] {
                var attacker = site.visitor()
                attacker.cookies["__Host-session"] = old
                #expect(try await attacker.get("/profile").status == .forbidden)
            }
        }
    }

    @Test("a callback is valid in the browser that began the login, and once")
    func replay() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var first = site.visitor()
            var second = site.visitor()
            let callback = try await first.callback()
            let stolen = try await second.get(callback)
            #expect(stolen.status == .badRequest && stolen.headers[.setCookie] == nil)
            #expect(stolen.text.contains("No sign-in is waiting for this answer"))

            // A login of its own that waits there does not help either, and is not lost.
            let own = try await second.callback()
            #expect(try await second.get(callback).status == .badRequest)
            #expect(try await second.get(own).status == .found)

            let kept = first
            #expect(try await first.get(callback).status == .found)
            #expect(try await first.get(callback).status == .badRequest)
            var again = kept
            #expect(try await again.get(callback).status == .badRequest)
            #expect(site.provider.statistics.codeReplays == 0)
            #expect(folder.states == 5)
        }
    }

    @Test("a callback with a wrong state is refused, and the login still waits")
    func wrongState() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            let callback = try await browser.callback()
            let forged = callback.replacing(#/state=[^&]+/#, with: "state=forged")
            for path in [forged, "/callback", "/callback?code=x", "/callback?state=%FF"] {
                #expect(try await browser.get(path).status == .badRequest)
            }
            #expect(site.provider.requests(at: .token).isEmpty)
            #expect(try await browser.get(callback).status == .found)
        }
    }

    @Test("an answer of another issuer is refused before its code is redeemed")
    func wrongIssuer() async throws {
        let folder = Folder()
        try await Site.run(
            folder: folder,
            provider: {
                $0.deviations.authorizationResponse = { $0["iss"] = "https://evil.example" }
            }
        ) { site in
            var browser = site.visitor()
            let answer = try await browser.get(try await browser.callback())
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("This sign-in cannot be accepted") && !answer.text.contains("evil"))
            #expect(site.provider.requests(at: .token).isEmpty)
            #expect(browser.cookies["__Host-session"] == nil && folder.states == 0)
        }
    }

    @Test("an ID token with a bad signature is refused")
    func badSignature() async throws {
        let folder = Folder()
        try await Site.run(folder: folder, provider: { $0.deviations.signature = .foreignKey }) { site in
            var browser = site.visitor()
            let answer = try await browser.get(try await browser.callback())
            #expect(answer.status == .badRequest)
            #expect(browser.cookies["__Host-session"] == nil && folder.states == 0)
        }
    }

    @Test("a user who declines is told so, and keeps the former session")
    func declined() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            try await browser.logIn()
            let session = browser.cookies["__Host-session"]
            site.provider.update { $0.login = .denied }
            let answer = try await browser.get(try await browser.callback())
            #expect(answer.status == .forbidden && answer.text.contains("The sign-in was declined"))
            #expect(browser.cookies["__Host-session"] == session)
            #expect(try await browser.get("/profile").status == .ok)
        }
    }

    @Test("a login that was begun too long ago is refused")
    func expired() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            let callback = try await browser.callback()
            site.clock.advance(by: .seconds(601))
            #expect(try await browser.get(callback).status == .badRequest)
        }
    }

    @Test("a failing provider is reported as such, with the time to try again")
    func failing() async throws {
        try await Site.run { site in
            var browser = site.visitor()
            let callback = try await browser.callback()
            site.provider.inject(.status(503, retryAfter: 7), at: .token)
            let answer = try await browser.get(callback)
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "7")
            #expect(answer.text.contains("The sign-in service does not answer"))
            #expect(browser.cookies["__Host-session"] == nil)
        }
    }

    @Test(
        "after the login the browser stays on this server, whatever the link said",
        arguments: [
            ("/", "/"), ("/profile?tab=1#top", "/profile?tab=1#top"), ("//evil.example", nil), ("/\\evil.example", nil),
            ("https://evil.example/", nil), ("", nil), ("evil", nil), ("/a\r\nSet-Cookie: x=y", nil),
            ("/\t/evil.example", nil), ("\\\\evil", nil), ("/é", nil), ("javascript:alert(1)", nil),
            ("/" + String(repeating: "x", count: 512), nil),
        ] as [(String, String?)])
    func returnPath(asked: String, expected: String?) async throws {
        #expect(ReturnPath(asked)?.text == expected)
        try await Site.run { site in
            var browser = site.visitor()
            let answer = try await browser.logIn(returningTo: asked)
            #expect(answer.headers[.location] == expected ?? "/profile")
        }
    }
}
