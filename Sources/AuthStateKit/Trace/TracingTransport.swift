import AuthStateFoundation
import AuthStateOAuth
import AuthStateTransport

/// Reports every exchange to a trace: method, address, status and time; never a header, a body or a query's values.
struct TracingTransport: HTTPTransport {
    let base: any HTTPTransport
    let trace: LoginTrace

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await traced(request, base.send) { $0 }
    }

    /// Reports the head of the answer.
    func stream(_ request: TransportRequest) async throws -> StreamedResponse {
        try await traced(request, { try await base.stream($0) }) {
            TransportResponse(status: $0.status, headers: $0.headers)
        }
    }

    /// Reports the head of the answer.
    func stream(_ request: TransportRequest, sending body: StreamedBody) async throws -> StreamedResponse {
        try await traced(request, { try await base.stream($0, sending: body) }) {
            TransportResponse(status: $0.status, headers: $0.headers)
        }
    }

    private func traced<R>(
        _ request: TransportRequest, _ send: (TransportRequest) async throws -> R,
        response: (R) -> TransportResponse
    ) async throws -> R {
        let (start, date) = (ContinuousClock.now, trace.now)
        func tell(_ outcome: Result<TransportResponse, any Error>, _ words: String) {
            let duration = ContinuousClock.now - start
            trace.note(
                request, outcome, began: date, took: duration,
                "\(request.method) \(Self.address(request.url)) \(words) \(Int((duration / .milliseconds(1)).rounded())) ms"
            )
        }
        do {
            let answer = try await send(request)
            tell(.success(response(answer)), "\(response(answer).status)")
            return answer
        } catch {
            tell(
                .failure(error),
                (error as? TransportError)?.code.rawValue ?? (error is CancellationError ? "cancelled" : "failed"))
            throw error
        }
    }

    /// Returns the URL without user and fragment; of the query only the names, because a lone word may be a secret.
    static func address(_ url: URL) -> String {
        let parts = URIReference(url.absoluteString)
        let names = (parts.query ?? "").split(separator: "&").map {
            $0.contains("=") ? $0.prefix { $0 != "=" } + "=…" : "…"
        }
        return parts.redacted + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }
}
