import AuthStateJOSE
import Testing

/// Something false that one check alone keeps from being believed.
struct Attack: Sendable {
    /// The check that stops it.
    let check: TrustCheck
    /// Makes the attempt: returns when it was believed, throws our error when it was refused.
    let offer: @Sendable () async throws -> Void

    init(_ check: TrustCheck, offer: @escaping @Sendable () async throws -> Void) {
        self.check = check
        self.offer = offer
    }

    /// All attacks, by area.
    static let all: [Attack] =
        idToken + jose + discovery + userInfo + authorizationResponse + logoutResponse + loopbackReceiver
        + signedResponse + tokenResponse + reauthorization + registration + logoutToken + thirdPartyLogin
        + deviceAuthorization + tenants + backchannelAuthentication + typedToken + storedStates
        + shortSecret + foreignRefusal + resources + endedSessions
}

extension Attack: CustomTestStringConvertible {
    var testDescription: String { check.name }
}
