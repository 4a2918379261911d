import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells of every HTTP exchange in one line: method, address, status and time; never a header, a body or a query's values.
struct TracingTransport: HTTPTransport {
    let base: any HTTPTransport
    let console: Console

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let start = ContinuousClock.now
        func tell(_ outcome: String) {
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            console.note(
                "trace: \(request.method) \(Self.address(request.url)) \(outcome) \(Int(milliseconds.rounded())) ms")
        }
        do {
            let response = try await base.send(request)
            tell("\(response.status)")
            return response
        } catch {
            tell((error as? TransportError)?.code.rawValue ?? (error is CancellationError ? "cancelled" : "failed"))
            throw error
        }
    }

    /// The URL without user and fragment; of the query only the names.
    static func address(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return "an unreadable URL" }
        let names = (parts.percentEncodedQuery ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } + "=…" }
        (parts.user, parts.password, parts.fragment, parts.percentEncodedQuery) = (nil, nil, nil, nil)
        return (parts.string ?? "") + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }
}
