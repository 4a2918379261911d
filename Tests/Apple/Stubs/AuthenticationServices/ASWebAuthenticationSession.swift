import Foundation

#if os(macOS)
    import AppKit
#else
    import UIKit
#endif

#if os(macOS)
    public typealias ASPresentationAnchor = NSWindow
#else
    public typealias ASPresentationAnchor = UIWindow
#endif

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// Runs as far as a test's `StubBrowser` takes it.
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public final class Callback: NSObject {
        let scheme: String?
        let host: String?
        let path: String?

        private init(scheme: String? = nil, host: String? = nil, path: String? = nil) {
            self.scheme = scheme
            self.host = host
            self.path = path
        }

        public static func customScheme(_ customScheme: String) -> Callback { Callback(scheme: customScheme) }
        public static func https(host: String, path: String) -> Callback { Callback(host: host, path: path) }
        public func matchesURL(_ url: URL) -> Bool {
            scheme.map { url.scheme == $0 } ?? (url.scheme == "https" && url.host == host && url.path == path)
        }
    }

    let page: URL
    let callback: Callback
    let completionHandler: CompletionHandler
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    public var additionalHeaderFields: [String: String]?

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        page = URL
        callback = .customScheme(callbackURLScheme ?? "")
        self.completionHandler = completionHandler
    }

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        page = URL
        self.callback = callback
        self.completionHandler = completionHandler
    }

    public var canStart: Bool { true }

    @discardableResult
    open func start() -> Bool { StubBrowser.start(self) }

    open func cancel() { StubBrowser.cancel(self) }
}

public struct ASWebAuthenticationSessionError: CustomNSError, Hashable {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public static let errorDomain = "com.apple.AuthenticationServices.WebAuthenticationSession"
    public let code: Code
    let failureReason: String?

    init(_ code: Code, failureReason: String? = nil) {
        self.code = code
        self.failureReason = failureReason
    }

    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        failureReason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:]
    }

    public static var canceledLogin: Code { .canceledLogin }
    public static var presentationContextNotProvided: Code { .presentationContextNotProvided }
    public static var presentationContextInvalid: Code { .presentationContextInvalid }
}
