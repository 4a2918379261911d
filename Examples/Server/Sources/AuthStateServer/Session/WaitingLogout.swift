import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A logout for which the browser went to the provider.
struct WaitingLogout: PendingTrip {
    var logout: PendingLogout
    var expiresAt: Date

    var state: String { logout.request.state }
}
