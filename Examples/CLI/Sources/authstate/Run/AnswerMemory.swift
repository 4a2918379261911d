import AuthStateKit
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers the last answer from one URL, so that a refused request can still show the resource's answer.
final class AnswerMemory: Sendable {
    private let url: URL
    private let answer = Mutex<TransportResponse?>(nil)

    init(of url: URL) { self.url = url }

    /// The newest answer.
    var last: TransportResponse? { answer.withLock { $0 } }

    /// A transport whose answers are remembered.
    func watching(_ base: any HTTPTransport) -> any HTTPTransport { Watch(base: base, memory: self) }

    private struct Watch: HTTPTransport {
        let base: any HTTPTransport
        let memory: AnswerMemory

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await base.send(request)
            if request.url == memory.url { memory.answer.withLock { $0 = response } }
            return response
        }
    }
}
