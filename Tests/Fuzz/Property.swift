import AuthStateJOSE
import AuthStateOAuth

/// Ends the process when a property does not hold; libFuzzer then keeps the input.
func require(
    _ condition: Bool, _ property: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line
) {
    guard condition else { fatalError("broken: \(property())", file: file, line: line) }
}

/// Requires that a text is fit for a log: at most 2,000 characters, and each of them prints.
func requireFitForLog(_ text: String, file: StaticString = #file, line: UInt = #line) {
    require(text.printable(2000) == text, "not fit for a log: \(text.printable(4000))", file: file, line: line)
}

/// Runs a body; what it throws must be the library's own and fit for a log.
func accepted<R>(_ body: () throws -> R, file: StaticString = #file, line: UInt = #line) -> R? {
    do { return try body() } catch {
        require(
            error is AuthStateError || error is JOSEError || error is JSONError, "a foreign error: \(error)",
            file: file, line: line)
        requireFitForLog("\(error)", file: file, line: line)
        return nil
    }
}

extension Array<UInt8> {
    /// The text, with what is not UTF-8 replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes before and after the first line feed; without one, everything and nothing.
    var firstLineAndRest: (line: [UInt8], rest: [UInt8]) {
        guard let end = firstIndex(of: 0x0A) else { return (self, []) }
        return (Array(self[..<end]), Array(self[(end + 1)...]))
    }
}
