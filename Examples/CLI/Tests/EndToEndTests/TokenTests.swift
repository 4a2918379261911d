import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    struct TokenTests {
        @Test("introspection tells what the provider knows", arguments: Provider.all)
        func introspection(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider, client: "basic")
            let answer = try await authstate.json("introspect")
            #expect(answer["active"] == true && answer["client_id"] == "basic")
            #expect(try await authstate("introspect").output.contains("active: true\n"))
            // django-oauth-toolkit knows access tokens only.
            #expect(try await authstate.json("introspect", "--refresh-token")["active"] == .bool(provider != .django))
        }

        @Test("a client that cannot authenticate gets no answer", arguments: [Provider.glewlwyd])
        func stranger(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider)
            try await authstate.expectFailure(
                ["introspect"], 78, [.invalidClient, .unauthorizedClient], stage: .token, hint: "--client-secret-env")
            #expect(try await authstate.json("status")["authorized"] == true)
        }

        @Test("revokes the access token alone, and the next command renews")
        func accessToken() async throws {
            // django-oauth-toolkit revokes the refresh token with it.
            let authstate = try await Authstate.loggedIn(.glewlwyd, client: "basic")
            let first = try await authstate.json("token")["access_token"]
            let revoked = try await authstate.json("revoke", "--access-token")
            #expect(revoked["revoked"] == true && revoked["authorized"] == true)
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
            #expect(try await authstate.json("token")["access_token"] != first)
        }

        @Test("revokes the grant, and the login is over", arguments: [Provider.glewlwyd, .django, .doorkeeper])
        func grant(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider, client: "basic")
            let copy = try await authstate.copy()
            let revoked = try await authstate.json("revoke")
            #expect(revoked["revoked"] == true && revoked["authorized"] == false)
            #expect(try await authstate("status").status == 77)
            let error = await #expect(throws: AuthStateError.self) { try await copy.refresh() }
            #expect(error?.kind == .reauthenticationRequired)
        }

        @Test("does not revoke a public client's tokens; the login stays", arguments: [Provider.glewlwyd])
        func refused(_ provider: Provider) async throws {
            let authstate = try await Authstate.loggedIn(provider)
            try await authstate.expectFailure(
                ["revoke"], 78, [.invalidClient], stage: .logout, hint: "allow the client")
            #expect(try await authstate("userinfo").status == 0)
        }
    }
}
