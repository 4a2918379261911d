#if os(iOS)
    import AuthStateKit
    import Foundation
    import UIKit

    /// Builds the screen, and hands over the URLs that the system opens the app with.
    final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        var window: UIWindow?
        private let parts = LoginParts.ofThisApp

        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
            guard let scene = scene as? UIWindowScene else { return }
            let window = UIWindow(windowScene: scene)
            window.rootViewController = UINavigationController(
                rootViewController: ViewController(Provider.all[0], parts))
            window.makeKeyAndVisible()
            self.window = window
            // An app that is launched by a URL gets it here, and not below.
            self.scene(scene, openURLContexts: options.urlContexts)
            for activity in options.userActivities { self.scene(scene, continue: activity) }
        }

        func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
            for context in contexts { parts.router.open(context.url) }
        }

        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
            guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
            if let url = userActivity.webpageURL { parts.router.open(url) }
        }
    }

    /// The same for an app without scenes; false leaves a URL to the rest of the app.
    final class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
        ) -> Bool {
            LoginParts.ofThisApp.router.open(url)
        }

        func application(
            _ application: UIApplication, continue userActivity: NSUserActivity,
            restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
        ) -> Bool {
            guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
            return userActivity.webpageURL.map { LoginParts.ofThisApp.router.open($0) } ?? false
        }
    }
#endif
