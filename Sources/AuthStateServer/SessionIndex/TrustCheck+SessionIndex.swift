package import AuthStateJOSE

extension TrustCheck {
    /// 2.7: a session that the provider ended before its login was complete is not kept.
    package static let endedSession = TrustCheck("endedSession")
    /// A state's key is not that of an entry of the index, which users could overwrite by a name that they choose.
    package static let indexKey = TrustCheck("indexKey")
}
