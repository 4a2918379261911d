import AuthStateApp
import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@testable import AppleApp

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct AccountsTests {
    @Test("The next start shows who was logged in without asking the provider, and a sign-out forgets it")
    func restore() async throws {
        let world = try await World()
        _ = try await world.signedIn()
        let requests = world.provider.statistics.requests

        let accounts = Accounts([try world.line()], try world.parts())
        await accounts.restore()
        let session = accounts.list[0].session
        #expect(session.user?.subject == "248289761001")
        #expect(world.provider.statistics.requests == requests)

        await session.signOut()
        #expect(session.user == nil && accounts.list[0].tokenFacts.isEmpty)
        let stored = try #require(try await world.store.load("local"))
        #expect(try AuthStateArchive(data: stored.archive).record.isLoggedOut)
        #expect(!world.provider.requests(at: .revocation).isEmpty)
        #expect(world.provider.requests(at: .endSession).count == 1)
    }

    @Test("Providers stand side by side: each has a login of its own")
    func sideBySide() async throws {
        let world = try await World()
        let other = try await OpenIDProvider(
            configuration: {
                var configuration = OpenIDProvider.Configuration()
                configuration.users = [.init(subject: "2", name: "grace", password: "h", claims: ["name": "Grace"])]
                return configuration
            }())
        let accounts = Accounts(
            [try world.line("one"), try world.line("two", issuer: other.issuer)], try world.parts())
        for account in accounts.list { try await account.session.signIn() }
        #expect(accounts.list.map { $0.session.user?.name } == ["Ada Lovelace", "Grace"])
        await accounts.list[0].session.signOut()
        #expect(accounts.list.map(\.session.isAuthenticated) == [false, true])
    }

    @Test("A login whose answer comes after the app was ended is completed by the next one")
    func ended() async throws {
        let world = try await World()
        let opened = Opened()
        // The first app sends the user to the browser, and is ended there.
        let first = Account(
            try world.line(),
            try world.parts { router in
                RedirectUserAgent(router: router, label: "local") { await opened.note($0) }
            })
        let login = Task { try await first.session.signIn() }
        await eventually("the browser was not opened") { opened.url != nil }
        let answer = try #require(try await world.answer(to: opened.url))

        let accounts = Accounts([try world.line()], try world.parts())
        let completing = Task { await accounts.completeRestored() }
        #expect(accounts.open(answer))
        await eventually("the login was not completed") { accounts.list[0].session.isAuthenticated }
        #expect(accounts.list[0].session.user?.name == "Ada Lovelace")
        // It was valid once.
        #expect(!accounts.open(answer))
        completing.cancel()
        login.cancel()
        _ = await login.result
    }

    @Test("The browser's answer ends the login that waits for it; a foreign URL is left to the app")
    func opened() async throws {
        let world = try await World()
        let opened = Opened()
        let accounts = Accounts(
            [try world.line()],
            try world.parts { router in RedirectUserAgent(router: router) { await opened.note($0) } })
        let login = Task { try await accounts.list[0].session.signIn() }
        await eventually("the browser was not opened") { opened.url != nil }
        let answer = try #require(try await world.answer(to: opened.url))
        #expect(!accounts.open(URL(string: "com.example.app:/settings")!))
        accounts.open(URL(string: "com.example.app:/callback?code=forged&state=forged")!)
        #expect(accounts.list[0].session.isLoading)
        #expect(accounts.open(answer))
        #expect(try await login.value.name == "Ada Lovelace")
    }

    @Test("An extension uses the app's tokens, and never renews them")
    func readOnly() async throws {
        let world = try await World()
        let reader = ReadOnlyLogin(world.store)
        let api = world.provider.url(of: .resource)
        #expect(await reader.read(api, account: "local") == "Sign in in the app.")
        _ = try await world.signedIn()
        #expect(await reader.read(api, account: "local").contains("Hello, Ada"))
        let renewals = world.provider.requests(at: .token).count
        world.provider.expireAccessTokens()
        #expect(await reader.read(api, account: "local") == "Open the app to go on.")
        #expect(world.provider.requests(at: .token).count == renewals)
    }
}

/// The page that a user agent opened.
@MainActor
private final class Opened {
    private(set) var url: URL?

    func note(_ url: URL) -> Bool {
        self.url = url
        return true
    }
}

extension World {
    /// Where the provider sends the browser after the page was opened.
    fileprivate func answer(to page: URL?) async throws -> URL? {
        guard let page else { return nil }
        let response = try await SystemTransport.shared.send(TransportRequest(url: page))
        return response.headers["Location"].flatMap { URL(string: $0) }
    }
}
