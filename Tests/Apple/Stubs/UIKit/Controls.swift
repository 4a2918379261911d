import Foundation

#if !os(watchOS)
    @MainActor
    open class UIBarButtonItem: NSObject {
        open var isEnabled = true

        public convenience init(
            title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil
        ) { self.init() }
    }

    open class UIImage: NSObject {}

    @MainActor open class UIMenu: NSObject {}

    @MainActor
    open class UIAction: NSObject {
        public struct Identifier: Hashable, Sendable {}

        public convenience init(
            title: String = "", image: UIImage? = nil, identifier: UIAction.Identifier? = nil,
            handler: @escaping (UIAction) -> Void
        ) { self.init() }
    }

    extension UIView {
        public struct AutoresizingMask: OptionSet, Sendable {
            public let rawValue: UInt
            public init(rawValue: UInt) { self.rawValue = rawValue }
            public static let flexibleWidth = AutoresizingMask(rawValue: 1 << 1)
            public static let flexibleHeight = AutoresizingMask(rawValue: 1 << 4)
        }

        public var autoresizingMask: AutoresizingMask {
            get { [] }
            set {}
        }
    }

    @MainActor
    open class UITextView: UIView {
        public convenience init() { self.init(frame: .zero) }
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        open var text: String!
        open var isEditable = true
    }
#endif
