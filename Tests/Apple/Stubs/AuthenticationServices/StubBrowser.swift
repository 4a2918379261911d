import Foundation

/// The behaviour of the stub's sessions, set by a test. It is no part of Apple's module.
///
/// Sessions call back on a thread of their own, as they do on macOS; one that the app has released never does.
public enum StubBrowser {
    public enum Act {
        case end(String)
        case fail(code: Int, reason: String?)
        case refuse
        case wait
    }

    public struct Seen {
        public var url: URL
        public var scheme, host, path: String?
        public var isEphemeral: Bool
        public var headerFields: [String: String]?
        public var hasAnchor: Bool
    }

    // Set and read on the main thread alone.
    nonisolated(unsafe) public static var act = Act.wait
    nonisolated(unsafe) public private(set) static var seen: [Seen] = []
    nonisolated(unsafe) public private(set) static var cancellations = 0

    static func start(_ session: ASWebAuthenticationSession) -> Bool {
        let provider = session.presentationContextProvider
        let hasAnchor = MainActor.assumeIsolated { [session] in
            provider.map { _ = $0.presentationAnchor(for: session) } != nil
        }
        seen.append(
            Seen(
                url: session.page, scheme: session.callback.scheme, host: session.callback.host,
                path: session.callback.path, isEphemeral: session.prefersEphemeralWebBrowserSession,
                headerFields: session.additionalHeaderFields, hasAnchor: hasAnchor))
        switch act {
        case .end(let address): callBack(session, URL(string: address), nil)
        case .fail(let code, let reason):
            callBack(
                session, nil,
                ASWebAuthenticationSessionError.Code(rawValue: code).map { .init($0, failureReason: reason) })
        case .refuse: return false
        case .wait: break
        }
        return true
    }

    static func cancel(_ session: ASWebAuthenticationSession) {
        cancellations += 1
        callBack(session, nil, ASWebAuthenticationSessionError(.canceledLogin))
    }

    private static func callBack(
        _ session: ASWebAuthenticationSession, _ url: URL?, _ error: ASWebAuthenticationSessionError?
    ) {
        nonisolated(unsafe) weak let session = session
        Thread.detachNewThread { session?.completionHandler(url, error) }
    }
}
