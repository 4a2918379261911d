/// A value with secrets: descriptions, dumps and mirrors of it show its description, which has none.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The description.
    public var debugDescription: String { description }
    /// A mirror of the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
