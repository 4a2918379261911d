public import AuthStateFoundation
public import AuthStateJOSE

/// The callback at the redirect URI: the URL, and the form when the provider answered by POST.
public struct AuthorizationCallback: Sendable, Hashable, Redacted {
    /// The URL that was called, exactly as it came.
    public let url: String
    /// The body of a form POST (OAuth 2.0 Form Post Response Mode), still encoded.
    public let formBody: String?

    /// A callback by URL; the answer is in its query or fragment.
    public init(url: String) {
        self.url = url
        formBody = nil
    }

    /// A callback by URL; the answer is in its query or fragment.
    public init(url: URL) { self.init(url: url.absoluteString) }

    /// A callback by form POST; the answer is in the body.
    public init(url: String, formBody: String) {
        self.url = url
        self.formBody = formBody
    }

    /// The URL without its query and fragment, which carry the code.
    public var description: String { URIReference(url).redacted }
}
