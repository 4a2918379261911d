import AuthStateKit
import AuthStateOAuth
import Foundation

/// Answers every renewal at once with tokens of 1 KB.
struct InstantProvider: HTTPTransport {
    private let body = Data(
        """
        {"access_token":"\(PooledStates.accessToken(1))","token_type":"Bearer","expires_in":3600,"refresh_token":"next"}
        """.utf8)

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }
}
