import AuthStateKit

extension LoginTrace {
    /// A trace on standard error. The advice is left to the error at the end, which knows this program's options.
    init(_ console: Console) {
        self.init { entry in
            var entry = entry
            if entry.step == .failure { entry.details.removeAll { $0.name == "hint" } }
            console.note("trace: \(entry)")
        }
    }
}
