import FoundationEssentials
import Security

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 60
    open var timeoutIntervalForResource: TimeInterval = 604_800
    open var waitsForConnectivity = false
    open var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv10
    open var httpShouldSetCookies = true
    open var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage()
    open var urlCredentialStorage: URLCredentialStorage? = URLCredentialStorage()
    open var urlCache: URLCache? = URLCache()
}

open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}

open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling = 1
        case cancelAuthenticationChallenge = 2
        case rejectProtectionSpace = 3
    }

    public struct AsyncBytes: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { nil }
        }
        public let task: URLSessionDataTask
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    public init(configuration: URLSessionConfiguration) {}
    open func invalidateAndCancel() {}
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { fatalError() }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    open func cancel() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

open class URLProtectionSpace: NSObject, @unchecked Sendable {
    public let authenticationMethod: String
    public let serverTrust: SecTrust?
    public init(authenticationMethod: String, serverTrust: SecTrust?) {
        (self.authenticationMethod, self.serverTrust) = (authenticationMethod, serverTrust)
    }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    public let protectionSpace: URLProtectionSpace
    public init(protectionSpace: URLProtectionSpace) { self.protectionSpace = protectionSpace }
}

open class URLCredential: NSObject, @unchecked Sendable {
    public init(trust: SecTrust) {}
}
