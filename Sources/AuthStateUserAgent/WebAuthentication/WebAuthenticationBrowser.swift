package import AuthStateFoundation
import AuthStateOAuth

/// The system's window for logins, for one page. It makes no decisions, so that everything else is tested without it.
@MainActor
package protocol WebAuthenticationBrowser: AnyObject, Sendable {
    /// Opens the window.
    ///
    /// - Parameter completion: Takes the URL that the window ended at: on any thread, perhaps before this returns, more than
    ///   once or never.
    func start(
        _ page: WebAuthenticationPage, completion: @escaping @Sendable (Result<URL, WebAuthenticationFailure>) -> Void
    ) throws(WebAuthenticationFailure)

    /// Closes the window.
    func cancel()
}

/// A page to open, and the parameters of its window.
package struct WebAuthenticationPage: Sendable {
    /// The page, http or https.
    package var url: URL
    /// The URL that ends the window.
    package var callback: WebAuthenticationCallback
    /// Whether it shares no cookies with the browser.
    package var isEphemeral: Bool
    /// Header fields to send along.
    package var additionalHeaderFields: [String: String]
}

/// The kind of URL that ends the window.
package enum WebAuthenticationCallback: Sendable, Hashable {
    /// Any URL with this scheme, which the app need not have registered.
    case scheme(String)
    /// An https URL of a domain that the app is associated with.
    case https(host: String, path: String)
}

/// The features of the system: both came with iOS 17.4, macOS 14.4 and visionOS 1.1.
package struct WebAuthenticationFeatures: Sendable, Hashable {
    /// Whether an https URL can end the window.
    package var httpsCallbacks: Bool
    /// Whether header fields can be sent along.
    package var additionalHeaderFields: Bool

    package static let all = Self(httpsCallbacks: true, additionalHeaderFields: true)
    package static let none = Self(httpsCallbacks: false, additionalHeaderFields: false)
}
