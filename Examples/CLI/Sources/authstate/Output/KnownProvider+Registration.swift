import AuthStateKit

extension KnownProvider {
    /// What to do first, for somebody who has no client yet.
    var howToRegister: String {
        let place = registration.page.map { ":\n\n  \($0)\n" } ?? "."
        return "Name the client with --client-id. \(title) gives you one\(place)\n\(registration.steps)\n"
    }
}
