public import AuthStateFoundation

/// The pages that a user sees in the browser at the end of a login or logout.
public struct LoopbackPages: Sendable {
    /// One page.
    public enum Page: Sendable {
        /// This library's own page.
        case standard
        /// Your own HTML, which is shown without scripts and without anything from the network.
        case html(String)
        /// A page elsewhere, by redirect; it is not told how the login ended. http and https only.
        case redirect(URL)
    }

    /// The page after success.
    public var success: Page
    /// The page after a failure or a cancellation; the standard one says what went wrong.
    public var failure: Page
    /// The name of the program to go back to, for the standard pages; nil names none.
    public var applicationName: String?

    /// Chooses pages.
    public init(success: Page = .standard, failure: Page = .standard, applicationName: String? = nil) {
        (self.success, self.failure, self.applicationName) = (success, failure, applicationName)
    }

    /// The standard pages.
    public static let `default` = LoopbackPages()
}
