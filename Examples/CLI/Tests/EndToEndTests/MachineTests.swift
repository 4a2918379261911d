import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    /// At the provider in this process: neither glewlwyd nor django-oauth-toolkit has these grants.
    struct MachineTests {
        private let program: Authstate
        private let provider: OpenIDProvider

        init() async throws {
            program = try Authstate()
            let key = try SigningKey.generate(.es256, keyID: "robot-1")
            var configuration = OpenIDProvider.Configuration()
            configuration.clients[0].grantTypes.insert(.tokenExchange)
            configuration.clients.append(.init(id: "robot", keys: [key.publicKey], grantTypes: [.jwtBearer]))
            provider = try await OpenIDProvider(configuration: configuration)
            _ = try program.folder.file(of: key)
        }

        private func authstate(
            _ arguments: String..., environment: [String: String] = [:]
        ) async throws -> Program.Result { try await authstate(arguments, environment: environment) }

        private func authstate(
            _ arguments: [String], environment: [String: String] = [:]
        ) async throws -> Program.Result {
            var program = program
            program.environment = environment
            return try await program(arguments + ["--json"])
        }

        @Test func `a key gets tokens without a user, and renews by signing anew`() async throws {
            let login = try await authstate(
                "login", "--issuer", provider.issuer, "--client-id", "robot", "--grant", "jwt-bearer", "--private-key",
                program.folder("key.json"), "--scope", "api")
            #expect(login.status == 0, "\(login)")
            let summary = try login.json()
            #expect(summary["can_renew"] == true && summary["scope"] == "api")
            #expect(summary["grant"]?.stringValue == GrantType.jwtBearer.rawValue)
            let first = try await authstate("token").json()["access_token"]
            #expect(try await authstate("refresh").status == 0)
            #expect(try await authstate("token").json()["access_token"] != first)
            let reply = try await authstate("request", provider.url(of: .resource).absoluteString)
            #expect(reply.status == 0 && reply.output.contains("robot"), "\(reply)")
            // The second try of a renewal needs the key, which is not in the file.
            try FileManager.default.removeItem(atPath: program.folder("key.json"))
            let keyless = try await authstate("refresh")
            #expect(keyless.status == 78 && keyless.output.contains("credentialUnavailable"), "\(keyless)")
        }

        @Test func `the token of a platform is enough, and each renewal reads the newest one`() async throws {
            let platform = try SigningKey.generate(.es256, keyID: "platform-1")
            let issuer = "https://platform.example"
            provider.update {
                $0.assertionIssuers = [.init(issuer, keys: [platform.publicKey], clients: ["worker": "service"])]
            }
            @discardableResult func mount(audience: String? = nil) throws -> String {
                let now = Int64(Date().timeIntervalSince1970)
                let token = try JSONWebToken.sign(
                    claims: [
                        "iss": .string(issuer), "sub": "worker", "aud": .string(audience ?? provider.issuer),
                        "exp": .number(JSONNumber(now + 300)), "jti": .string(UUID().uuidString),
                    ], with: platform)
                try Data("\(token)\n".utf8).write(to: URL(filePath: program.folder("token")))
                return token
            }
            let grant = ["login", "--issuer", provider.issuer, "--grant", "jwt-bearer", "--scope", "api"]
            let missing = try await authstate(grant + ["--assertion-file", program.folder("token")])
            #expect(missing.status == 78 && missing.output.contains("credentialUnavailable"), "\(missing)")
            let first = try mount()
            let login = try await authstate(grant + ["--assertion-file", program.folder("token")])
            #expect(login.status == 0 && !(login.output + login.errors).contains(first), "\(login)")
            let summary = try login.json()
            #expect(summary["can_renew"] == true && summary["client_id"] == .null && summary["scope"] == "api")
            let second = try mount()
            #expect(try await authstate("refresh").status == 0)
            let sent = provider.requests(at: .token).map(\.parameters)
            #expect(sent.compactMap { $0["assertion"] } == [first, second])
            #expect(sent.allSatisfy { $0["client_id"] == nil })
            let reply = try await authstate("request", provider.url(of: .resource).absoluteString)
            #expect(reply.status == 0 && reply.output.contains("worker"), "\(reply)")
            try mount(audience: "https://other.example")
            let refused = try await authstate("refresh")
            #expect(refused.status == 77 && refused.output.contains("invalidGrant"), "\(refused)")
            #expect(refused.output.contains("audience") && !refused.output.contains("Log in again"), "\(refused)")
            #expect(try await authstate("token").status == 0)
            let third = try mount()
            let client = try await authstate(
                [
                    "login", "--issuer", provider.issuer, "--client-id", "service", "--grant", "client-credentials",
                    "--assertion-env", "PLATFORM_TOKEN",
                ], environment: ["PLATFORM_TOKEN": third])
            #expect(client.status == 0, "\(client)")
            #expect(provider.requests(at: .token).last?.parameters["client_assertion"] == third)
        }

        @Test("a program that gets a token gets no assertion: not the grant, and not what proves the client")
        func withheld() async throws {
            let platform = try SigningKey.generate(.es256, keyID: "platform-1")
            let issuer = "https://platform.example"
            provider.update {
                $0.assertionIssuers = [.init(issuer, keys: [platform.publicKey], clients: ["worker": "service"])]
            }
            for grant in [
                ["--grant", "jwt-bearer", "--scope", "api"],
                ["--grant", "client-credentials", "--client-id", "service"],
            ] {
                let expiry = Int64(Date().timeIntervalSince1970) + 300
                let assertion = try JSONWebToken.sign(
                    claims: [
                        "iss": .string(issuer), "sub": "worker", "aud": .string(provider.issuer),
                        "exp": .number(JSONNumber(expiry)), "jti": .string(UUID().uuidString),
                    ], with: platform)
                let environment = ["PLATFORM_TOKEN": assertion]
                let login = try await authstate(
                    ["login", "--issuer", provider.issuer, "--assertion-env", "PLATFORM_TOKEN"] + grant,
                    environment: environment)
                try #require(login.status == 0, "\(login)")
                let words = ["sh", "-c", #"printf '%s' "${ACCESS_TOKEN:+token} ${PLATFORM_TOKEN-withheld}""#]
                let result = try await Program.run(
                    [Authstate.path, "run", "--state", program.stateFile, "--"] + words, environment: environment)
                #expect(result.output == "token withheld", "\(grant)")
            }
        }

        @Test("a login's token buys one for another service, and is kept")
        func exchange() async throws {
            let login = try await authstate(
                "login", "--issuer", provider.issuer, "--client-id", "app", "--scope", "openid api",
                "--browser-command", program.browser.commandLine())
            try #require(login.status == 0, "\(login)")
            let own = try await authstate("token").json()["access_token"]
            let issued = try await authstate("exchange", "--audience", "billing", "--requested-type", "access_token")
            #expect(issued.status == 0, "\(issued)")
            let answer = try issued.json()
            #expect(answer["access_token"]?.stringValue?.isEmpty == false && answer["access_token"] != own)
            #expect(answer["issued_token_type"]?.stringValue == TokenTypeIdentifier.accessToken.rawValue)
            #expect(provider.requests(at: .token).last?.parameters["audience"] == "billing")
            #expect(try await authstate("token").json()["access_token"] == own)
            let actor = try #require(own?.stringValue)
            let acted = try await authstate(
                "exchange", "--actor-token-env", "ACTOR", "--param", "tenant=t", environment: ["ACTOR": actor])
            #expect(acted.status == 0 && !acted.errors.contains(actor), "\(acted)")
            let sent = try #require(provider.requests(at: .token).last).parameters
            #expect(sent["actor_token"] == actor && sent["tenant"] == "t")
            #expect(sent["actor_token_type"] == TokenTypeIdentifier.accessToken.rawValue)
            #expect(try await authstate("exchange", "--actor-token-env", "ACTOR").status == 78)
            provider.inject(.oauthError("invalid_target"), at: .token)
            let refused = try await authstate("exchange", "--audience", "nobody")
            #expect(refused.status == 78 && refused.output.contains("invalidTarget"), "\(refused)")
        }

        @Test("a login that is bound to a key proves it for an exchange, and says that the new token is bound too")
        func boundExchange() async throws {
            provider.update { $0.requiresDPoP = true }
            let login = try await authstate(
                "login", "--issuer", provider.issuer, "--client-id", "app", "--scope", "openid api", "--dpop",
                "--browser-command", program.browser.commandLine())
            try #require(login.status == 0, "\(login)")
            let issued = try await authstate("exchange", "--audience", "billing")
            #expect(issued.status == 0, "\(issued)")
            #expect(try issued.json()["token_type"] == "DPoP" && issued.errors.contains("bound to the login's key"))
        }
    }
}
