import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

extension EndToEndTests {
    /// At a provider in this process, which counts exactly and can delay its answers.
    struct TogetherTests {
        let provider: OpenIDProvider
        let folder: TemporaryFolder

        init() async throws {
            // The token of the login expires at once; those of renewals last.
            var configuration = OpenIDProvider.Configuration()
            configuration.accessTokenLifetime = .seconds(0.001)
            provider = try await OpenIDProvider(configuration: configuration)
            folder = try TemporaryFolder()
            let service = AuthorizationService()
            let request = AuthorizationRequest(
                Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"))
            _ = try await AuthState.logIn(
                .browser(request, DirectUserAgent()),
                at: AuthState.Place(FileAuthStateStore(file: folder("login.json")), service: service))
            provider.update { $0.accessTokenLifetime = .seconds(3600) }
        }

        private func start(_ arguments: String...) throws -> Program {
            try Program.start([Authstate.path] + arguments + ["--state", folder("login.json"), "--timeout", "120"])
        }

        /// Makes the stored token older than it is.
        private func age(by seconds: Double) async throws {
            try await FileAuthStateStore(file: folder("login.json")).withLease(.default, deadline: .seconds(10)) {
                lease in
                let stored = try #require(try await lease.load())
                var record = try AuthStateArchive(data: stored.archive).record
                var response = try #require(record.lastTokenResponse)
                response.issuedAt.addTimeInterval(-seconds)
                response.accessTokenExpirationDate?.addTimeInterval(-seconds)
                record.lastTokenResponse = response
                _ = try await lease.save(AuthStateArchive(record).data(), expecting: stored.version)
            }
        }

        @Test("sixteen that find an expired token: the same fresh token from all, one renewal at the provider")
        func sixteen() async throws {
            let programs = try (0..<16).map { _ in try start("token") }
            var tokens: Set<String> = []
            for program in programs {
                let result = try await program.result()
                #expect(result.status == 0, "\(result.errors)")
                tokens.insert(result.output)
            }
            #expect(provider.statistics.refreshRequests == 1 && provider.statistics.refreshTokenReuses == 0)
            let token = try #require(tokens.first?.dropLast())
            #expect(tokens.count == 1)
            let answer = try await SystemTransport.shared.send(
                TransportRequest(url: provider.url(of: .resource), headers: ["Authorization": "Bearer \(token)"]))
            #expect(answer.status == 200)
        }

        @Test(
            "sixteen that want a token for longer than it is valid: one renewal at the provider",
            arguments: [3000, 7200])
        func minValidity(_ seconds: Int) async throws {
            // The token has lived for fifty minutes of its hour; 7200 is more than any token lasts.
            #expect(try await start("refresh").result().status == 0)
            try await age(by: 3000)
            let before = provider.statistics.refreshRequests
            let programs = try (0..<16).map { _ in try start("token", "--min-validity", "\(seconds)", "--json") }
            var tokens: Set<JSONValue> = []
            for program in programs {
                let result = try await program.result()
                #expect(result.status == 0, "\(result.errors)")
                let json = try result.json()
                try tokens.insert(#require(json["access_token"]))
                #expect(json["min_validity_met"] == .bool(seconds == 3000))
            }
            #expect(tokens.count == 1 && provider.statistics.refreshRequests == before + 1)
            let plain = try await start("token", "--min-validity", "\(seconds)").result()
            let remark = plain.errors.contains("the provider issues tokens for 3600 s")
            #expect(remark == (seconds == 7200), "\(plain.errors)")
            #expect(provider.statistics.refreshRequests == before + 1)
        }

        @Test("a logout waits for the renewal of another process, and nothing comes back after it")
        func logout() async throws {
            let gate = ScriptedTransport.Gate()
            provider.inject(.held(gate), at: .token)
            let renewing = try start("token")
            try await eventually("the renewal") { provider.statistics.accessTokensIssued == 2 ? () : nil }
            let leaving = try start("logout", "--local")
            gate.open()
            #expect(try await renewing.result().status == 0)
            #expect(try await leaving.result().status == 0)
            #expect(!FileManager.default.fileExists(atPath: folder("login.json")))
            #expect(try await start("token").result().status == 77)
        }

        @Test("a process that is killed while it waits for the provider blocks no other process, and costs no login")
        func killed() async throws {
            provider.inject(.hang, at: .token)
            let waiting = try start("token")
            try await eventually("the renewal") { provider.statistics.refreshRequests == 1 ? () : nil }
            waiting.send(SIGKILL)
            #expect(try await waiting.result().status == 128 + SIGKILL)
            let next = try await start("token").result()
            #expect(next.status == 0, "\(next.errors)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
        }

        @Test("a process that is killed after the provider has rotated: the next one says to log in again, in one line")
        func killedInTheWindow() async throws {
            provider.inject(.held(ScriptedTransport.Gate()), at: .token)
            let waiting = try start("token")
            try await eventually("the renewal") { provider.statistics.accessTokensIssued == 2 ? () : nil }
            waiting.send(SIGKILL)
            #expect(try await waiting.result().status == 128 + SIGKILL)
            let next = try await start("token").result()
            #expect(next.status == 77 && next.output.isEmpty)
            #expect(next.errors.hasPrefix("authstate: ") && next.errors.count { $0 == "\n" } == 1)
            #expect(next.errors.contains("authstate login"), "\(next.errors)")
        }
    }
}
