import AuthStateApp
import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

@testable import AppleApp

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct AccountTests {
    @Test("A sign-in shows the user, the expiry and the scope")
    func signIn() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        #expect(account.session.user?.name == "Ada Lovelace")
        #expect(account.session.user?.email == "ada@example.com")
        let facts = Dictionary(uniqueKeysWithValues: account.tokenFacts.map { ($0.name, $0.value) })
        #expect(facts["Provider"] == world.provider.issuer)
        #expect(facts["Token type"] == "Bearer")
        #expect(facts["Scope"] == "openid profile email offline_access")
        #expect(facts["Renewable"] == "yes")
        #expect(facts["ID token verified by"] == "signature")
        #expect(facts["Expires"]?.hasSuffix("Z") == true)
    }

    @Test("The log tells the steps of a login in order, and holds no token, code or verifier")
    func log() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        let steps: [LoginTrace.Step] = [.discovery, .request, .browser, .callback, .tokens, .idToken, .userinfo]
        await eventually("the log is not complete") { Set(account.log.map(\.step)).isSuperset(of: steps) }
        let first = steps.map { step in account.log.firstIndex { $0.step == step } ?? -1 }
        #expect(first == first.sorted(), "\(account.log)")

        let record = try #require(account.session.authState?.record)
        let response = try #require(record.lastTokenResponse)
        let code = try #require(world.provider.requests(at: .token).first?.parameters["code"])
        let verifier = try #require(world.provider.requests(at: .token).first?.parameters["code_verifier"])
        let text = account.log.map { "\($0)" }.joined(separator: "\n")
        for secret in [response.accessToken, record.refreshToken, record.idToken, code, verifier] {
            let secret = try #require(secret)
            #expect(!text.contains(secret))
        }
        #expect(!text.contains("Lovelace"))
    }

    @Test("A refused token is renewed, and the request sent again")
    func renewal() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        world.provider.rejectAccessTokens()
        await account.askAPI()
        #expect(account.result?.hasPrefix("200\n") == true, "\(account.result ?? "")")
        #expect(world.provider.requests(at: .resource).count == 2)
        #expect(world.provider.requests(at: .authorization).count == 1)
    }

    @Test("When the grant is gone the user signs in again, and the request is sent again")
    func reauthorization() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        world.provider.revokeGrants()
        await account.askAPI()
        #expect(account.result?.hasPrefix("200\n") == true, "\(account.result ?? "")")
        #expect(world.provider.requests(at: .authorization).count == 2)
        #expect(account.session.isAuthenticated)
    }

    @Test("The request of one user is not sent in the name of another")
    func anotherPerson() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        world.provider.revokeGrants()
        world.provider.update {
            $0.users = [.init(subject: "2", name: "grace", password: "hopper", claims: ["name": "Grace Hopper"])]
        }
        let before = world.provider.requests(at: .resource).count
        await account.askAPI()
        let result = try #require(account.result)
        #expect(!result.hasPrefix("200"))
        #expect(world.provider.requests(at: .resource).count <= before + 1)
        #expect(world.provider.requests(at: .authorization).count == 2)
    }

    @Test("Refresh now brings another token, and the result does not show it")
    func refresh() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        let before = try #require(account.session.authState?.record.lastTokenResponse?.accessToken)
        await account.refresh()
        let after = try #require(account.session.authState?.record.lastTokenResponse?.accessToken)
        #expect(before != after)
        let result = try #require(account.result)
        #expect(result.contains("openid") && !result.contains(after))
    }

    @Test("Userinfo is read again on demand; an error is the result")
    func userInfo() async throws {
        let world = try await World()
        let account = try await world.signedIn()
        await account.readUserInfo()
        #expect(account.result == "Userinfo was read.")
        #expect(world.provider.requests(at: .userInfo).count == 2)
        world.provider.inject(.status(503), at: .userInfo, times: 10)
        await account.readUserInfo()
        #expect(account.result != "Userinfo was read.")
        #expect(account.session.user?.name == "Ada Lovelace")
    }

    @Test("A refusal is shown once, until it is dismissed")
    func refusal() async throws {
        let world = try await World { $0.login = .denied }
        let account = Account(try world.line(), try world.parts())
        await #expect(throws: AuthStateError.self) { try await account.session.signIn() }
        #expect(account.session.user == nil)
        #expect(account.session.errorMessage?.isEmpty == false)
        account.session.errorMessage = nil
        #expect(account.session.errorMessage == nil)
    }
}
