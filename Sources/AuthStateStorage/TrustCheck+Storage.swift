package import AuthStateJOSE

extension TrustCheck {
    /// A stored state, its folder and its lock: no other user can have written them.
    package static let storeOwnership = TrustCheck("storeOwnership")
    /// A link on the way to a state, in a folder that others can write, is not another user's.
    package static let storeLink = TrustCheck("storeLink")
}
