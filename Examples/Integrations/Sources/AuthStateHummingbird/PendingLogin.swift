import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A login in progress: the data to check when the browser comes back, and the page that the user wanted.
///
/// The rest of the request is this server's configuration and is made again. So a login fits into a cookie.
struct PendingLogin: Sendable, Codable, Equatable {
    var state: String
    var nonce: String?
    var verifier: CodeVerifier
    var expiresAt: Date
    var returnPath: String

    init(_ pending: PendingAuthorization, returningTo path: String) {
        state = pending.request.state
        nonce = pending.request.nonce
        verifier = pending.request.codeVerifier
        expiresAt = pending.expiresAt
        returnPath = path
    }
}
