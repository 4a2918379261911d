#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    #if os(macOS)
        public import AppKit
    #else
        public import UIKit
    #endif

    extension WebAuthenticationUserAgent {
        /// Makes a user agent.
        ///
        /// - Parameters:
        ///   - configuration: The behaviour of the window.
        ///   - presentationAnchor: The app's window to show it on, asked for at each login on the main actor; nil finds the
        ///     key window of the scene in the foreground.
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public init(
            configuration: Configuration = Configuration(),
            presentationAnchor: (@MainActor @Sendable () -> ASPresentationAnchor?)? = nil
        ) {
            self.init(configuration: configuration, features: .ofSystem) {
                SystemWebAuthenticationBrowser(presentationAnchor: presentationAnchor ?? Self.windowInFront)
            }
        }

        /// Whether this version of the system can bring an https redirect URI back to the app.
        public static var supportsHTTPSCallbacks: Bool { WebAuthenticationFeatures.ofSystem.httpsCallbacks }

        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        @MainActor
        private static func windowInFront() -> ASPresentationAnchor? {
            #if os(macOS)
                let application = NSApplication.shared
                return application.keyWindow ?? application.mainWindow ?? application.windows.first { $0.isVisible }
            #else
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                // A login that begins while the app becomes active finds its scene not quite there yet.
                let scene =
                    scenes.first { $0.activationState == .foregroundActive }
                    ?? scenes.first { $0.activationState == .foregroundInactive }
                return scene?.keyWindow ?? scene?.windows.first
            #endif
        }
    }

    extension WebAuthenticationFeatures {
        fileprivate static var ofSystem: Self {
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { .all } else { .none }
        }
    }
#endif
