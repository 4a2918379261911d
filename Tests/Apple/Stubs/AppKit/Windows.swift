import Foundation

@MainActor
open class NSResponder: NSObject {}

@MainActor
open class NSApplication: NSResponder {
    public class var shared: NSApplication { application }
    private static let application = NSApplication()

    public weak var keyWindow: NSWindow? { windows.first }
    public weak var mainWindow: NSWindow? { windows.first }
    public var windows: [NSWindow] = []
}

@MainActor
open class NSWindow: NSResponder {
    public var isVisible: Bool { true }
}
