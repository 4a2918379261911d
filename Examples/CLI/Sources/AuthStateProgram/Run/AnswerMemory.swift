import AuthStateKit
import AuthStatePlatform
import AuthStateTransport
import Synchronization

/// Remembers the answer to the last request to one URL, so that a refused request can still show the resource's answer.
final class AnswerMemory: Sendable {
    private let url: URL
    private let answer = Mutex<TransportResponse?>(nil)

    init(of url: URL) { self.url = url }

    /// The answer to the last request; nil when there was none.
    var last: TransportResponse? { answer.withLock { $0 } }

    /// A transport whose answers are remembered.
    func watching(_ base: any HTTPTransport) -> any HTTPTransport { Watch(base: base, memory: self) }

    private struct Watch: HTTPTransport {
        let base: any HTTPTransport
        let memory: AnswerMemory

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard request.url == memory.url else { return try await base.send(request) }
            // An attempt without an answer leaves none of an earlier one.
            memory.answer.withLock { $0 = nil }
            let response = try await base.send(request)
            memory.answer.withLock { $0 = response }
            return response
        }

        func stream(_ request: TransportRequest) async throws -> StreamedResponse { try await base.stream(request) }

        func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse {
            try await base.stream(request, sending: body)
        }
    }
}
