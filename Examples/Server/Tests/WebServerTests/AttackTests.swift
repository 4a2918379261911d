import AuthStateHummingbird
import AuthStateJOSE
import AuthStateKit
import AuthStateServer
import AuthStateTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Testing

@testable import WebServer

/// Effects that anonymous requests, other sites and the passing of time must not have.
@Suite(.timeLimit(.minutes(5)))
struct AttackTests {
    @Test("anonymous logins that are begun in a loop evict no other user's")
    func manyAnonymousLogins() async throws {
        try await Site.run { site in
            var person = site.visitor()
            let callback = try await person.callback()
            // More than a bounded memory of pending logins would hold.
            for _ in 0..<10_001 {
                var attacker = site.visitor()
                #expect(try await attacker.get("/login").status == .seeOther)
            }
            #expect(try await person.get(callback).status == .found)
        }
    }

    @Test("callbacks that were made up leave no file")
    func madeUpCallbacks() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            for _ in 0..<30 {
                var attacker = site.visitor()
                let login = try await attacker.get("/login")
                let url = try #require(login.headers[.location].flatMap(URL.init(string:)))
                let state = try #require(
                    URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
                        .first { $0.name == "state" }?.value)
                #expect(try await attacker.get("/callback?code=x&state=\(state)").status.kind == .clientError)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("a login that another site's link begins asks the user first", arguments: ["cross-site", "same-site", nil])
    func loginByLink(_ origin: String?) async throws {
        try await Site.run { site in
            var person = site.visitor()
            let page = try await person.get("/login?return=/x", from: origin)
            #expect(page.status == .ok && page.headers[.location] == nil && person.cookies.isEmpty)
            #expect(page.text.contains("name=\"return\" value=\"/x\""))
            let policy = page.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.hasSuffix("form-action 'self'"), "\(policy)")
            let answer = try await person.post("/login", ["return": "/x"])
            #expect(answer.lead?.hasPrefix(site.provider.url(of: .authorization).absoluteString) == true)
        }
    }

    @Test("a login that another site's form begins is refused", arguments: ["https://evil.example", "null", nil])
    func loginByForm(_ origin: String?) async throws {
        try await Site.run { site in
            var person = site.visitor()
            let answer = try await person.post("/login", [:], origin: origin)
            #expect(answer.status == .forbidden)
            #expect(person.cookies.isEmpty)
        }
    }

    @Test("the login's cookie reveals nothing, cannot be changed, and is accepted once")
    func loginCookie() async throws {
        try await Site.run { site in
            var person = site.visitor()
            let callback = try await person.callback()
            let cookie = try #require(person.cookies["__Host-login"])
            let bytes = try #require(Base64URL.decode(cookie))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("state"))
            for position in stride(from: 0, to: bytes.count, by: 16) {
                var changed = bytes
                changed[position] ^= 1
                var attacker = site.visitor()
                attacker.cookies["__Host-login"] = Base64URL.encode(changed)
                #expect(try await attacker.get(callback).status == .badRequest)
            }
            var copy = person
            #expect(try await person.get(callback).status == .found)
            #expect(try await copy.get(callback).status == .badRequest)
            #expect(site.provider.statistics.codeReplays == 0)
        }
    }

    @Test("a session that a new login replaces is revoked")
    func replacedSession() async throws {
        try await Site.run { site in
            var person = site.visitor()
            try await person.logIn()
            #expect(site.provider.requests(at: .revocation).isEmpty)
            try await person.logIn()
            #expect(!site.provider.requests(at: .revocation).isEmpty)
            #expect(try await person.get("/profile").status == .ok)
        }
    }

    @Test("a session that a new login within the provider's session replaces ends without a revocation")
    func replacedWithinSession() async throws {
        let folder = Folder()
        try await Site.run(
            folder: folder, provider: { $0.deviations.idToken = { claims, _ in claims["sid"] = "one" } }
        ) { site in
            var person = site.visitor()
            try await person.logIn()
            var former = person
            try await person.logIn()
            // A provider may end the whole session with one of its tokens (RFC 7009, section 2.1).
            #expect(site.provider.requests(at: .revocation).isEmpty)
            #expect(try await person.get("/profile").status == .ok)
            #expect(try await former.get("/profile").status == .forbidden)
            #expect(folder.states == 3, "one state, and its entries in the index")
        }
    }

    @Test("an expired session is revoked when its browser comes back")
    func expiredSession() async throws {
        let folder = Folder()
        try await Site.run(folder: folder) { site in
            var person = site.visitor()
            try await person.logIn()
            site.clock.advance(by: .seconds(12 * 3600 + 1))
            #expect(try await person.get("/profile").status == .forbidden)
            #expect(!site.provider.requests(at: .revocation).isEmpty && folder.states == 0)
        }
    }

    @Test("abandoned sessions are revoked and deleted by the sweep", arguments: [true, false])
    func abandonedSessions(isSealed: Bool) async throws {
        // Files have the times of the system's clock.
        let (folder, clock) = (Folder(), ManualClock(startingAt: .now))
        var configuration = OpenIDProvider.Configuration()
        configuration.clients = [OpenIDProvider.Client(id: "site", redirectURIs: ["http://localhost/callback"])]
        let provider = try await OpenIDProvider(configuration: configuration, clock: clock.wallClock)
        let keys = isSealed ? [try SealingKey.random()] : []
        try await Site.run(folder: folder, sealingKeys: keys, provider, clock) { site in
            var person = site.visitor()
            try await person.logIn()
        }
        let sessions = try sessions(in: folder, sealedWith: keys, provider, clock)
        try await sessions.pool.sweep(olderThan: sessions.configuration.sessionLifetime)
        #expect(folder.states == 3 && provider.requests(at: .revocation).isEmpty)
        clock.advance(by: .seconds(12 * 3600 + 60))
        try await sessions.pool.sweep(olderThan: sessions.configuration.sessionLifetime)
        #expect(folder.states == 0 && !provider.requests(at: .revocation).isEmpty)
        await provider.stop()
    }

    /// The sessions of a server that is not running.
    private func sessions(
        in folder: Folder, sealedWith keys: [SealingKey], _ provider: OpenIDProvider, _ clock: ManualClock
    ) throws -> OpenIDSessions {
        var configuration = AuthorizationService.Configuration()
        configuration.clock = clock.wallClock
        let service = AuthorizationService(configuration: configuration)
        let files = FileAuthStateStore(folder: folder.path)
        let store: any AuthStateStore = keys.isEmpty ? files : try SealedAuthStateStore(files, keys: keys)
        let site = OpenIDConfiguration(
            issuer: provider.issuer, clientID: "site", baseURL: try #require(BaseURL("http://localhost")))
        let pool = AuthStatePool(store: IndexedAuthStateStore(store), service: service)
        return try OpenIDSessions(site, pool: pool, logger: Logger(label: "sweep"))
    }
}
