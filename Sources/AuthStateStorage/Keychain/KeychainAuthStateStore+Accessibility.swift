extension KeychainAuthStateStore {
    /// The times at which the device lets the app read the item, and whether the item may leave the device in a backup.
    ///
    /// A refresh token that rotates must not come back from a backup or to a second device: spent there again, it may end
    /// the grant for both. So prefer those that stay on this device.
    public struct Accessibility: Sendable, Hashable, CustomStringConvertible {
        enum Level: String, Sendable, CaseIterable {
            case afterFirstUnlockThisDeviceOnly, afterFirstUnlock
            case whenUnlockedThisDeviceOnly, whenUnlocked
            case whenPasscodeSetThisDeviceOnly
        }

        let level: Level

        /// From the first time that the device is unlocked after it was started, locked or not: for renewals in the
        /// background. The default.
        public static let afterFirstUnlockThisDeviceOnly = Self(level: .afterFirstUnlockThisDeviceOnly)
        /// The same, and an encrypted backup restores it on another device.
        public static let afterFirstUnlock = Self(level: .afterFirstUnlock)
        /// Only while the device is unlocked: a call in the background gets `.deviceLocked`.
        public static let whenUnlockedThisDeviceOnly = Self(level: .whenUnlockedThisDeviceOnly)
        /// The same, and an encrypted backup restores it on another device.
        public static let whenUnlocked = Self(level: .whenUnlocked)
        /// Only while the device is unlocked, and only on one with a passcode: taking that away removes the state.
        public static let whenPasscodeSetThisDeviceOnly = Self(level: .whenPasscodeSetThisDeviceOnly)

        /// The name of the constant.
        public var description: String { level.rawValue }
    }
}
