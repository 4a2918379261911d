import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A login that was begun, and where the person wanted to go.
struct PendingLogin: PendingTrip {
    var authorization: PendingAuthorization
    var returnPath: ReturnPath

    var state: String { authorization.request.state }
    var expiresAt: Date { authorization.expiresAt }
}
