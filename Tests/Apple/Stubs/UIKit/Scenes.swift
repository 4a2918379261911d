import Foundation

#if !os(watchOS)
    extension UIWindow {
        public var rootViewController: UIViewController? {
            get { nil }
            set {}
        }
        public func makeKeyAndVisible() {}
    }

    @MainActor open class UISceneSession: NSObject {}

    extension UIScene {
        @MainActor
        open class ConnectionOptions: NSObject {
            open var urlContexts: Set<UIOpenURLContext> { [] }
            open var userActivities: Set<NSUserActivity> { [] }
        }
    }

    @MainActor
    open class UIOpenURLContext: NSObject {
        open var url: URL { fatalError("a stub") }
    }

    @MainActor @preconcurrency
    public protocol UISceneDelegate: NSObjectProtocol {
        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>)
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    }

    @MainActor @preconcurrency
    public protocol UIWindowSceneDelegate: UISceneDelegate {
        var window: UIWindow? { get set }
    }

    public protocol UIUserActivityRestoring: NSObjectProtocol {}

    extension UIApplication {
        public struct OpenURLOptionsKey: Hashable, Sendable {}

        public var isProtectedDataAvailable: Bool { true }
    }

    @MainActor @preconcurrency
    public protocol UIApplicationDelegate: NSObjectProtocol {
        func application(
            _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
        ) -> Bool
        func application(
            _ application: UIApplication, continue userActivity: NSUserActivity,
            restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
        ) -> Bool
    }
#endif
