#if !os(watchOS)
    public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        public var rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
    }

    extension UIApplication {
        nonisolated public func beginBackgroundTask(
            expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
        ) -> UIBackgroundTaskIdentifier { .invalid }
        nonisolated public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    }
#endif
