import Foundation

#if !os(watchOS)
    @MainActor
    open class UIViewController: UIResponder {
        public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
        public required init?(coder: NSCoder) {}
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        open var view: UIView!
        open var title: String?
        open var navigationItem: UINavigationItem { UINavigationItem() }
        open var presentedViewController: UIViewController? { nil }
        open func viewDidLoad() {}
        open func viewDidAppear(_ animated: Bool) {}
        open func present(_ viewController: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil) {}
    }

    @MainActor
    open class UINavigationController: UIViewController {
        public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
        public required init?(coder: NSCoder) { super.init(coder: coder) }
    }

    @MainActor
    open class UINavigationItem: NSObject {
        open var leftBarButtonItem: UIBarButtonItem?
        open var rightBarButtonItem: UIBarButtonItem?
    }

    @MainActor
    open class UIAlertController: UIViewController {
        public enum Style: Int, Sendable { case actionSheet, alert }

        public convenience init(title: String?, message: String?, preferredStyle: UIAlertController.Style) {
            self.init(nibName: nil, bundle: nil)
        }
        open func addAction(_ action: UIAlertAction) {}
    }

    @MainActor
    open class UIAlertAction: NSObject {
        public enum Style: Int, Sendable { case `default`, cancel, destructive }

        public convenience init(
            title: String?, style: UIAlertAction.Style, handler: ((UIAlertAction) -> Void)? = nil
        ) { self.init() }
    }
#endif
