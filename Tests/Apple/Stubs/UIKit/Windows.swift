import Foundation

@MainActor
open class UIResponder: NSObject {}

@MainActor
open class UIApplication: UIResponder {
    #if !os(watchOS)
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public class var shared: UIApplication { application }
        private static let application = UIApplication()

        public var connectedScenes: Set<UIScene> = []

        public struct OpenExternalURLOptionsKey: Hashable, Sendable {}

        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        open func open(_ url: URL, options: [OpenExternalURLOptionsKey: any Sendable] = [:]) async -> Bool { true }
    #endif
}

#if !os(watchOS)
    @MainActor
    open class UIScene: UIResponder {
        public enum ActivationState: Int, Sendable {
            case unattached = -1
            case foregroundActive
            case foregroundInactive
            case background
        }

        public var activationState: ActivationState { .foregroundActive }
    }

    @MainActor
    open class UIWindowScene: UIScene {
        public var windows: [UIWindow] = []
        public var keyWindow: UIWindow? { windows.first }
    }

    @MainActor
    open class UIView: UIResponder {
        public init(frame: CGRect) { self.frame = frame }
        public required init?(coder: NSCoder) { frame = .zero }
        open var frame: CGRect
        open var bounds: CGRect { frame }
        open func addSubview(_ view: UIView) {}
    }

    @MainActor
    open class UIWindow: UIView {
        public init(windowScene: UIWindowScene) { super.init(frame: .zero) }
        public required init?(coder: NSCoder) { super.init(coder: coder) }
    }
#endif
