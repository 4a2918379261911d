package import AuthStateOAuth

/// The reason why the system's window ended without a URL.
package enum WebAuthenticationFailure: Error, Sendable, Hashable {
    /// It was closed: by the user, without a reason; or by the system, which gives one.
    case canceledLogin(reason: String?)
    /// There is no window of the app to show it on.
    case presentationContextNotProvided
    /// The app's window cannot show it now.
    case presentationContextInvalid
    /// The system refused to open it and did not say why.
    case notStarted
    /// Anything else, in the system's words.
    case other(String)

    package func error(stage: AuthStateError.Stage, page: WebAuthenticationPage) -> AuthStateError {
        switch (self, page.callback) {
        // The system reports an app that is not associated with the domain, and header fields that it does not take, as if
        // the user had closed the window. In every language it names the domain.
        case (.canceledLogin(let reason?), .https(let host, _))
        where page.additionalHeaderFields.isEmpty || reason.contains(host):
            AuthStateError(
                .invalidRedirectURI, stage: stage, "The system does not bring \(host) back to this app.",
                received: reason,
                hint: "Add webcredentials:\(host) to the app's Associated Domains, and the app's identifier to "
                    + "https://\(host)/.well-known/apple-app-site-association under webcredentials.")
        case (.canceledLogin(let reason?), _) where !page.additionalHeaderFields.isEmpty:
            AuthStateError(
                .invalidArgument, stage: stage, "The system does not open the page with these header fields.",
                expected: "fields that are the app's to set", received: reason,
                hint: "Leave out what the browser sets itself: Cookie, Host, Origin, Referer and their like.")
        case (.canceledLogin, _):
            AuthStateError(.userCancelled, stage: stage, "The window was closed before the provider answered.")
        case (.presentationContextNotProvided, _):
            AuthStateError(
                .browserUnavailable, stage: stage, "There is no window to show the provider's page on.",
                hint: "Begin when a window of the app is in front, or give the user agent a presentationAnchor.")
        case (.presentationContextInvalid, _):
            AuthStateError(
                .browserUnavailable, stage: stage, "The app's window cannot show the provider's page.",
                hint: "Give a presentationAnchor that belongs to a scene in the foreground.")
        case (.notStarted, _):
            AuthStateError(
                .browserUnavailable, stage: stage, "The system refused to open the provider's page.",
                hint: "Only one such window is open at a time, and only while the app is in the foreground.")
        case (.other(let description), _):
            AuthStateError(
                .browserUnavailable, stage: stage, "The system's window failed.", received: description,
                hint: "Try again.")
        }
    }
}
