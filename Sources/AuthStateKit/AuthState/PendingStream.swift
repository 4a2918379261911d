import AuthStateJOSE
package import AuthStateOAuth
import AuthStateSystem
package import AuthStateTransport

/// The requests for one stream, of which the last may be answered by it: a refusal is read as a whole, so that it can be
/// acted upon.
package final class PendingStream: Sendable {
    private let transport: any HTTPTransport
    private let stream = Lock<StreamedResponse?>(nil)

    package init(_ transport: any HTTPTransport) { self.transport = transport }

    /// Sends a request; of a success the head is returned, and the body kept to be read.
    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = try await transport.stream(request)
        guard (200..<300).contains(answer.status) else {
            do {
                return try await withDeadline(request.timeout, clock: ContinuousClock()) {
                    try await answer.collected(upTo: request.maximumResponseBytes)
                }
            } catch is DeadlineExceeded {
                throw TransportError(
                    .timedOut, "The refusal of the request did not end in time.", requestMayHaveBeenSent: true)
            }
        }
        stream.withLock { $0 = answer }
        return TransportResponse(status: answer.status, headers: answer.headers)
    }

    /// Returns the answer with the stream, or with the body that was read.
    package func response(to last: TransportResponse) -> StreamedResponse {
        stream.withLock { $0.take() } ?? StreamedResponse(last)
    }
}
