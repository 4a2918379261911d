import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    struct BrowserTests {
        @Test("a user signs in, stays signed in while tokens expire and are renewed, and signs out everywhere")
        func life() async throws {
            try await RunningSite.run { site in
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await browser.open(site.base)
                    #expect(try await browser.text.contains("You are not signed in"))
                    try await browser.picture("welcome")
                    try await site.signIn(in: browser)
                    #expect(try await browser.url == "\(site.base)/profile")
                    #expect(try await browser.text("#name") == "Ada Lovelace")
                    #expect(try await browser.text("#email") == "ada@example.com")
                    try await browser.picture("profile")

                    // The tokens last two seconds; each request for the profile finds them fresh or renews them.
                    try await eventually("three renewals", within: .seconds(30)) { () -> Bool? in
                        try await browser.open("\(site.base)/profile")
                        #expect(try await browser.text("#name") == "Ada Lovelace")
                        return site.provider.statistics.refreshRequests >= 3 ? true : nil
                    }
                    #expect(site.provider.statistics.refreshTokenReuses == 0)

                    try await browser.open(site.base)
                    #expect(try await browser.text("#name") == "Ada Lovelace")
                    try await browser.picture("signed-in")
                    try await browser.click("#logout")
                    try await browser.arrives(at: "\(site.base)/logout")
                    #expect(try await browser.text.contains("You are signed out"))
                    #expect(site.provider.requests(at: .endSession).count == 1)
                    #expect(site.provider.requests(at: .revocation).count == 2)
                    #expect(try await browser.text("#doubt") == nil)
                    #expect(try await browser.cookie("__Host-logout") == nil)
                    #expect(try await browser.cookie("__Host-session") == nil)
                    try await browser.open("\(site.base)/profile")
                    #expect(try await browser.text.contains("Please sign in"))
                    try await browser.picture("please-sign-in")
                }
            }
        }

        @Test("the browser keeps both cookies for this host, for HTTP alone, and they change at the login")
        func cookies() async throws {
            try await RunningSite.run { site in
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await browser.open(site.base)
                    let planted = Base64URL.encode(SecureRandom.bytes(32))
                    try await browser.add("__Host-session", planted)
                    try await browser.open("\(site.base)/login")
                    // Cookies of 127.0.0.1 have no port: the provider's page is on the same host.
                    // A sealed login: the data to check when the browser comes back.
                    try check(try await browser.cookie("__Host-login"), bytes: 100...1024)
                    try await site.allow(in: browser)
                    let first = try await browser.cookie("__Host-session")
                    try check(first, bytes: 32...32)
                    #expect(first?["value"]?.stringValue != planted)
                    #expect(try await browser.cookie("__Host-login") == nil)
                    #expect(try await browser.script("return document.cookie") == "")

                    try await browser.open("\(site.base)/login")
                    try await site.allow(in: browser)
                    #expect(try await browser.text("#name") == "Ada Lovelace")
                    let second = try await browser.cookie("__Host-session")
                    #expect(second?["value"] != first?["value"])
                }
            }
        }

        private func check(_ cookie: JSONValue?, bytes: ClosedRange<Int>) throws {
            let cookie = try #require(cookie)
            #expect(cookie["secure"] == true && cookie["httpOnly"] == true && cookie["sameSite"] == "Lax")
            #expect(cookie["path"] == "/" && cookie["domain"] == "127.0.0.1")
            #expect(bytes.contains(Base64URL.decode(cookie["value"]?.stringValue ?? "")?.count ?? 0))
        }

        @Test("a second browser cannot use a callback, and the first one can, once")
        func replay() async throws {
            try await RunningSite.run { site in
                try await Chromium.run(2) { browsers in
                    let (first, second) = (browsers[0], browsers[1])
                    try await first.open("\(site.base)/login")
                    let callback = try await site.callback(of: first)
                    try #require(callback.hasPrefix("\(site.base)/callback?"))

                    try await second.open(callback)
                    #expect(try await second.text.contains("No sign-in is waiting for this answer"))
                    #expect(try await second.cookie("__Host-session") == nil)
                    #expect(site.provider.requests(at: .token).isEmpty)
                    try await second.picture("refused")

                    try await first.open(callback)
                    #expect(try await first.url == "\(site.base)/profile")
                    #expect(try await first.text("#name") == "Ada Lovelace")
                    try await first.open(callback)
                    #expect(try await first.text.contains("No sign-in is waiting for this answer"))
                    try await first.open("\(site.base)/profile")
                    #expect(try await first.text("#name") == "Ada Lovelace")
                    #expect(site.provider.statistics.codeReplays == 0)
                }
            }
        }

        @Test(
            "a link that names another place to return to leads to this server all the same",
            arguments: ["//evil.example/", "/%5Cevil.example/", "https://evil.example/", "/%09/evil.example/"])
        func returnPath(path: String) async throws {
            try await RunningSite.run { site in
                try await Chromium.run { browsers in
                    try await browsers[0].open("\(site.base)/login?return=\(path)")
                    try await site.allow(in: browsers[0])
                    #expect(try await browsers[0].url == "\(site.base)/profile")
                }
            }
        }

        @Test("a user who was asked first reaches a provider that sends browsers on to another origin")
        func brokered() async throws {
            try await RunningSite.run(isBrokered: true) { site in
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await browser.open("data:text/html,<a id=link href=\(site.base)/login>Sign in</a>")
                    try await browser.click("#link")
                    try await browser.arrives(at: "\(site.base)/login")
                    try await browser.click("#login")
                    try await site.allow(in: browser)
                    #expect(try await browser.text("#name") == "Ada Lovelace")
                }
            }
        }

        @Test("another site's form does not sign out")
        func forgery() async throws {
            try await RunningSite.run { site in
                try await Chromium.run { browsers in
                    let browser = browsers[0]
                    try await site.signIn(in: browser)
                    // The first is another site: the session's cookie is not sent. The second is another port of the
                    // same host, which cookies do not tell apart: there the form is refused.
                    let pages = ["data:text/html,<p>x", site.provider.url(of: .discovery).absoluteString]
                    for (page, answer) in zip(pages, ["You are signed in", "This form was not sent from our page"]) {
                        try await browser.open(page)
                        try await browser.script(
                            """
                            const form = document.createElement("form");
                            form.method = "post"; form.action = arguments[0]; document.body.append(form); form.submit();
                            """, "\(site.base)/logout")
                        try await eventually("the answer") { () -> Bool? in
                            try await browser.text.contains(answer) ? true : nil
                        }
                        try await browser.open("\(site.base)/profile")
                        #expect(try await browser.text("#name") == "Ada Lovelace")
                    }
                    #expect(site.provider.requests(at: .revocation).isEmpty)
                }
            }
        }
    }
}
