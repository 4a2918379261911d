/// A check without which something false would be believed; each check alone stops an attack.
///
/// Each module declares its checks beside the code that makes them. The tests find all declarations, turn the checks off one
/// at a time, and require that exactly the attacks of that check then succeed: this reveals a check that nothing depends on,
/// or that another one hides. Only debug builds can turn a check off; in others nothing is left of it, in any module.
@usableFromInline
package struct TrustCheck: Sendable, Hashable {
    @usableFromInline package let name: String

    /// Makes a check; its name is that of its declaration.
    @inlinable
    package init(_ name: String) { self.name = name }

    #if DEBUG
        /// Whether the check is made: always, unless a test turned it off around this task.
        @usableFromInline package var isOn: Bool {
            Self.recorder?(self)
            return Self.turnedOff != self
        }

        /// The check that the tests have turned off in this task.
        @TaskLocal package static var turnedOff: TrustCheck?
        /// Receives each check that is reached in this task.
        @TaskLocal package static var recorder: (@Sendable (TrustCheck) -> Void)?
    #else
        @inlinable package var isOn: Bool { true }
    #endif

    /// Whether a condition holds, or need not hold because the check is turned off.
    @inlinable
    package func holds(_ condition: @autoclosure () throws -> Bool) rethrows -> Bool { try !isOn || condition() }
}
