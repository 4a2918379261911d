import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(1))) struct StreamTests {
    private let api = TransportRequest(url: URL(string: "https://api.example/events")!)

    /// Refuses every token but one, for which it answers with a stream of two pieces.
    private struct Wire: HTTPTransport {
        let refusal: TransportResponse
        let base: ScriptedTransport
        var accepted = "SECRET-access-1"

        func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }

        func stream(_ request: TransportRequest) async throws -> StreamedResponse {
            guard request.headers["Authorization"] == "Bearer \(accepted)" else { return StreamedResponse(refusal) }
            let pieces = Lock(["one", "two"].map { Data($0.utf8) })
            return StreamedResponse(status: 200) { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
    }

    private func state(_ status: Int, _ challenge: String, accepted: String = "SECRET-access-1") throws -> AuthState {
        let fixture = try Fixture([Fixture.tokens(1)])
        let refusal = TransportResponse(
            status: status, headers: ["WWW-Authenticate": challenge], body: Data("refused".utf8))
        let wire = Wire(refusal: refusal, base: fixture.transport, accepted: accepted)
        return AuthState(
            fixture.record, service: AuthorizationService(transport: wire, configuration: .init(clock: fixture.clock)),
            store: InMemoryAuthStateStore(), options: fixture.options)
    }

    @Test func `a 401 is answered by a renewal, and the second answer is the stream`() async throws {
        let answer = try await state(401, #"Bearer error="invalid_token""#).stream(api)
        var pieces: [String] = []
        for try await piece in answer { pieces.append(String(decoding: piece, as: UTF8.self)) }
        #expect((answer.status, pieces) == (200, ["one", "two"]))
    }

    @Test func `a refusal is an error with the whole body, as without a stream`() async throws {
        let state = try state(401, "Bearer", accepted: "none")
        let error = await authError { try await state.stream(api) }
        #expect((error?.code, error?.responseBody) == (.tokenRejected, "refused"))
        #expect(state.authorizationError == error)
        let scope = try self.state(403, #"Bearer error="insufficient_scope", scope="more""#, accepted: "none")
        #expect(await authError { try await scope.stream(api) }?.code == .insufficientScope)
    }

    @Test func `a refusal that does not end is bounded by the time of the request`() async throws {
        let fixture = try Fixture()
        let service = AuthorizationService(transport: EndlessRefusal(), configuration: .init(clock: fixture.clock))
        let state = AuthState(
            fixture.record, service: service, store: InMemoryAuthStateStore(), options: fixture.options)
        var request = api
        request.timeout = .milliseconds(50)
        #expect(await authError { try await state.stream(request) }?.code == .timedOut)
    }

    /// Answers with the head of a 401, and a body that never comes.
    private struct EndlessRefusal: HTTPTransport {
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await stream(request).collected(upTo: 0)
        }

        func stream(_ request: TransportRequest) async throws -> StreamedResponse {
            let gate = ScriptedTransport.Gate()
            return StreamedResponse(status: 401) {
                try await gate.pass()
                return nil
            }
        }
    }

    @Test func `an answer that is no success has its body, up to the bound of the request`() async throws {
        let state = try state(500, "", accepted: "none")
        #expect(try await state.stream(api).collected(upTo: 7).body == Data("refused".utf8))
        var small = api
        small.maximumResponseBytes = 6
        #expect(await authError { try await state.stream(small) }?.code == .responseTooLarge)
    }
}
