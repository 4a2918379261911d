import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

extension Attack {
    static let registration: [Attack] = [Attack(.registrationClient) { try offer(#"{"client_id":"another"}"#) }]

    /// Reads an answer about the registration of `client`.
    private static func offer(_ answer: String) throws {
        func response(_ text: String) -> TransportResponse { TransportResponse(status: 200, body: Data(text.utf8)) }
        let registration = try RegistrationResponse(response(#"{"client_id":"client"}"#))
        _ = try RegistrationManagementRequest(.read, registration).answer(response(answer))
    }
}
