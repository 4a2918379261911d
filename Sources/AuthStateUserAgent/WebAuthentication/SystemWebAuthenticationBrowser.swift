#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    import AuthenticationServices
    import Foundation

    /// `ASWebAuthenticationSession`, held for as long as it is open.
    @MainActor
    final class SystemWebAuthenticationBrowser: WebAuthenticationBrowser {
        private let findAnchor: @MainActor () -> ASPresentationAnchor?
        private var session: ASWebAuthenticationSession?
        // The session refers to it weakly.
        private var context: PresentationContext?

        init(presentationAnchor: @escaping @MainActor () -> ASPresentationAnchor?) {
            findAnchor = presentationAnchor
        }

        func start(
            _ page: WebAuthenticationPage,
            completion: @escaping @Sendable (Result<URL, WebAuthenticationFailure>) -> Void
        ) throws(WebAuthenticationFailure) {
            guard let anchor = findAnchor() else { throw .presentationContextNotProvided }
            // Sendable, so that it does not belong to the main actor: macOS calls it on another thread, which would be fatal.
            let session = Self.session(page) { @Sendable url, error in
                completion(Self.result(url, error))
            }
            let context = PresentationContext(anchor)
            session.prefersEphemeralWebBrowserSession = page.isEphemeral
            session.presentationContextProvider = context
            self.session = session
            self.context = context
            guard session.start() else { throw .notStarted }
        }

        func cancel() { session?.cancel() }

        private static func session(
            _ page: WebAuthenticationPage, completion: @escaping ASWebAuthenticationSession.CompletionHandler
        ) -> ASWebAuthenticationSession {
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) else {
                return ASWebAuthenticationSession(
                    url: page.url, callbackURLScheme: page.callback.scheme, completionHandler: completion)
            }
            let callback: ASWebAuthenticationSession.Callback =
                switch page.callback {
                case .scheme(let scheme): .customScheme(scheme)
                case .https(let host, let path): .https(host: host, path: path)
                }
            let session = ASWebAuthenticationSession(url: page.url, callback: callback, completionHandler: completion)
            if !page.additionalHeaderFields.isEmpty { session.additionalHeaderFields = page.additionalHeaderFields }
            return session
        }

        private nonisolated static func result(
            _ url: URL?, _ error: (any Error)?
        ) -> Result<URL, WebAuthenticationFailure> {
            if let url { return .success(url) }
            guard let error else { return .failure(.other("neither a URL nor an error")) }
            guard let error = error as? ASWebAuthenticationSessionError else {
                return .failure(.other("\(error)"))
            }
            switch error.code {
            case .canceledLogin:
                return .failure(
                    .canceledLogin(reason: error.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String))
            case .presentationContextNotProvided: return .failure(.presentationContextNotProvided)
            case .presentationContextInvalid: return .failure(.presentationContextInvalid)
            @unknown default: return .failure(.other("\(error)"))
            }
        }
    }

    private final class PresentationContext: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let anchor: ASPresentationAnchor

        init(_ anchor: ASPresentationAnchor) { self.anchor = anchor }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }

    extension WebAuthenticationCallback {
        fileprivate var scheme: String? {
            if case .scheme(let scheme) = self { scheme } else { nil }
        }
    }
#endif
