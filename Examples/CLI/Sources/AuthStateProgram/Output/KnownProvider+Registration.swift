import AuthStateKit

extension KnownProvider {
    /// The first steps, for a user who has no client yet.
    var howToRegister: String {
        let place = registration.page.map { ":\n\n  \($0)\n" } ?? "."
        return "Name the client with --client-id. \(title) gives you one\(place)\n\(registration.steps)\n"
    }
}
