import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5)))
struct DPoPRaceTests {
    /// A server with a fresh nonce in every answer, which takes each of them once, whatever else it has given out.
    private final class Server: Sendable {
        private let nonces = Lock<(open: Set<String>, count: Int)>(([], 0))

        func answer(_ request: TransportRequest) throws -> TransportResponse {
            let proof = try JSONWebToken(parsing: request.headers["DPoP"] ?? "")
            let used = proof.claims["nonce"]?.stringValue
            let (isGood, fresh) = nonces.withLock { nonces -> (Bool, String) in
                let isGood = used.map { nonces.open.remove($0) != nil } ?? false
                nonces.count += 1
                nonces.open.insert("n-\(nonces.count)")
                return (isGood, "n-\(nonces.count)")
            }
            var answer = TransportResponse(status: 200, headers: ["DPoP-Nonce": fresh])
            if isGood {
                answer.body = Data(#"{"access_token":"SECRET","token_type":"DPoP","expires_in":60}"#.utf8)
            } else if request.url.path == "/token" {
                answer.status = 400
                answer.body = Data(#"{"error":"use_dpop_nonce"}"#.utf8)
            } else {
                answer.status = 401
                answer.headers["WWW-Authenticate"] = #"DPoP error="use_dpop_nonce""#
            }
            return answer
        }
    }

    /// Makes a hundred requests that all have gone out before the first is answered; none may need a third try.
    private func race(
        _ request: @escaping @Sendable (AuthorizationService, DPoPKey) async throws -> Void
    ) async throws -> ScriptedTransport {
        let (server, gate) = (Server(), ScriptedTransport.Gate())
        let answer = ScriptedTransport.Reply.dynamic { try server.answer($0) }
        let transport = ScriptedTransport(
            [ScriptedTransport.Reply](repeating: .gated(gate, then: answer), count: 100), then: answer)
        let service = AuthorizationService(transport: transport)
        let key = try DPoPKey.generate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await request(service, key) } }
            await gate.arrivals(100)
            gate.open()
            try await group.waitForAll()
        }
        #expect(transport.requests.count == 200)
        return transport
    }

    @Test(
        "a hundred requests to a resource: each is repeated with the nonce of its own answer, and no token is renewed")
    func resource() async throws {
        let record = try Fixture().record
        let api = TransportRequest(url: try #require(URL(string: "https://api.example/things")))
        let transport = try await race { service, key in
            var record = record
            record.dpopKey = key
            record.lastTokenResponse?.tokenType = "DPoP"
            record.lastTokenResponse?.accessTokenExpirationDate = nil
            let state = AuthState(record, service: service, store: InMemoryAuthStateStore())
            let response = try await state.performAction(api)
            #expect(response.status == 200)
        }
        #expect(transport.requests.allSatisfy { $0.url == api.url })
    }

    @Test("a hundred requests for tokens need no third try")
    func tokens() async throws {
        let configuration = try Fixture().record.client.provider
        _ = try await race { service, key in
            var request = TokenRequest(Client(configuration, id: "client"), .clientCredentials)
            request.dpopKey = key
            let tokens = try await service.perform(request)
            #expect(tokens.tokenType == "DPoP")
        }
    }

    @Test("another answer's nonce, learned meanwhile, does not replace the one of the caller's rejection")
    func own() async throws {
        var record = try Fixture().record
        record.dpopKey = try .generate()
        record.lastTokenResponse?.tokenType = "DPoP"
        let state = AuthState(
            record, service: AuthorizationService(transport: ScriptedTransport()), store: InMemoryAuthStateStore())
        let url = try #require(URL(string: "https://api.example/things"))
        func nonce(_ tokens: Tokens, _ url: URL) throws -> String? {
            let proof = try tokens.authorizationHeaders(method: .get, url: url)["DPoP"]
            return try JSONWebToken(parsing: proof ?? "").claims["nonce"]?.stringValue
        }
        var nonces: [String?] = []
        try await state.withFreshToken { tokens in
            let other = try #require(URL(string: "https://other.example/"))
            if nonces.isEmpty {
                nonces.append(try nonce(tokens, url))
                throw TokenRejected(challenges: [#"DPoP error="use_dpop_nonce""#], dpopNonce: "mine", url: url)
            }
            tokens.recordNonce(from: ["DPoP-Nonce": "another's"], of: url)
            nonces.append(try nonce(tokens, other))
            nonces.append(try nonce(tokens, url))
            nonces.append(try nonce(tokens, url))
        }
        #expect(nonces == [nil, nil, "mine", "another's"])
    }
}
