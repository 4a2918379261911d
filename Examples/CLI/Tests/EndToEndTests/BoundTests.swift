import AuthStateKit
import Foundation
import Testing

extension EndToEndTests {
    /// At glewlwyd's strict provider, which wants pushed requests and DPoP proofs with its nonces.
    struct BoundTests {
        private func arguments(_ authstate: Authstate, _ more: [String]) throws -> [String] {
            let issuer = try #require(authstate.provider.strictIssuer)
            return authstate.loginArguments(client: "basic").with("--issuer", issuer) + more
        }

        @Test("from login to logout: every request proves the key", arguments: [Provider.glewlwyd, .glewlwydTLS])
        func life(_ provider: Provider) async throws {
            let authstate = try Authstate(provider)
            let login = try await authstate(
                arguments(authstate, ["--par", "--dpop", "--tolerate", "unproven-push", "--trace"]))
            try #require(login.status == 0, "\(login.errors)")
            #expect(login.errors.contains("/par 20"), "\(login.errors)")
            let page = try #require(try authstate.browser.visits.first { $0.contains("request_uri=") })
            #expect(!page.contains("code_challenge"), "\(page)")

            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
            let token = try await authstate("token", "--json")
            #expect(try token.json()["token_type"] == "DPoP")
            #expect(token.errors.contains("bound to a key"))
            #expect(try await authstate.json("refresh")["authorized"] == true)
            let userInfo = try #require(try await authstate.state().record.client.provider.userInfoEndpoint)
            #expect(try await authstate.json("request", userInfo.absoluteString)["status"]?.doubleValue == 200)

            // The token alone is worthless.
            let stolen = try #require(try token.json()["access_token"]?.stringValue)
            let transport = SystemTransport(certificateAuthorityFile: authstate.provider.certificateAuthorityFile)
            let refused = try await transport.send(
                TransportRequest(url: userInfo, headers: ["Authorization": "Bearer \(stolen)"]))
            #expect(refused.status == 401)
            #expect(try await authstate("revoke").status == 0)
            #expect(try await authstate("status").status == 77)
        }

        @Test func `without --par a request is pushed all the same, as the provider's metadata say so`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let result = try await authstate(arguments(authstate, ["--trace"]))
            #expect(result.errors.contains("/par 20"), "\(result)")
        }

        @Test("a key in a file, which is only referred to: without it the login is there, and of no use")
        func ownKey() async throws {
            let authstate = try Authstate(.glewlwyd)
            let key = try SigningKey.generate(.es256)
            let file = try authstate.folder.file(of: key)
            let login = try await authstate(authstate.loginArguments() + ["--dpop-key", file])
            try #require(login.status == 0, "\(login.errors)")
            let stored = authstate.folder.text("state/login.json")
            let secret = try #require(key.privateKey.privateJSON["d"]?.stringValue)
            #expect(stored.contains(file) && !stored.contains(secret))
            #expect(try await authstate.json("refresh")["authorized"] == true)
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
            try FileManager.default.removeItem(atPath: file)
            try await authstate.expectFailure(
                ["refresh"], 78, [.credentialUnavailable], stage: .refresh, hint: "Check the path")
            try await authstate.expectFailure(
                authstate.loginArguments() + ["--dpop-key", file], 78, [.credentialUnavailable], stage: .usage,
                hint: "Check the path")
        }

        @Test func `a client that signs assertions, at the strict provider`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let issuer = try #require(authstate.provider.strictIssuer)
            let login = authstate.loginArguments(client: "keyjwt").with("--issuer", issuer)
            let result = try await authstate(login + ["--dpop", "--tolerate", "unproven-push"])
            try #require(result.status == 0, "\(result.errors)")
            #expect(try await authstate.json("refresh")["authorized"] == true)
            #expect(try await authstate.json("userinfo")["email"] == "alice@example.test")
        }

        @Test func `a pushed request whose proof is refused: the error names what helps`() async throws {
            let authstate = try Authstate(.glewlwyd)
            try await authstate.expectFailure(
                arguments(authstate, ["--par", "--dpop"]), 78, [.invalidDPoPProof], stage: .authorization,
                hint: "--tolerate unproven-push")
        }

        @Test func `a provider without pushed requests, or without DPoP`() async throws {
            let authstate = try Authstate(.django)
            try await authstate.expectFailure(
                authstate.loginArguments() + ["--par"], 78, [.endpointMissing], stage: .authorization,
                hint: "without --par")
            let bearer = try await authstate(authstate.loginArguments() + ["--dpop", "--json"])
            #expect(bearer.status == 65, "\(bearer)")
            #expect(try bearer.json()["error"]?["code"] == "unsupportedTokenType")
            #expect(!FileManager.default.fileExists(atPath: authstate.stateFile))
        }

        @Test func `a request that is signed with the client's key`() async throws {
            let authstate = try Authstate(.glewlwyd)
            let result = try await authstate(authstate.loginArguments(client: "keyjwt") + ["--request-object"])
            #expect(result.status == 0, "\(result.errors)")
            let page = try #require(try authstate.browser.visits.first { $0.contains("request=ey") })
            #expect(!page.contains("code_challenge="), "\(page)")
        }
    }
}
