import FoundationEssentials

open class InputStream: NSObject, @unchecked Sendable {}

public struct URLRequest: Hashable, Sendable {
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
        case reloadIgnoringLocalAndRemoteCacheData = 4
        case returnCacheDataElseLoad = 2
        case returnCacheDataDontLoad = 3
        case reloadRevalidatingCacheData = 5
    }

    public var url: URL?
    public var cachePolicy: CachePolicy
    public var timeoutInterval: TimeInterval
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpBodyStream: InputStream?
    public var httpShouldHandleCookies = true
    public var allHTTPHeaderFields: [String: String]? = [:]

    public init(
        url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0
    ) {
        (self.url, self.cachePolicy, self.timeoutInterval) = (url, cachePolicy, timeoutInterval)
    }

    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        allHTTPHeaderFields?[field] = value
    }

    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        let former = self.value(forHTTPHeaderField: field)
        allHTTPHeaderFields?[field] = former.map { "\($0),\(value)" } ?? value
    }

    public func value(forHTTPHeaderField field: String) -> String? { allHTTPHeaderFields?[field] }
}

open class URLResponse: NSObject, @unchecked Sendable {
    public let url: URL?
    public let expectedContentLength: Int64
    fileprivate init(url: URL?, expectedContentLength: Int64) {
        (self.url, self.expectedContentLength) = (url, expectedContentLength)
    }
}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public let statusCode: Int
    // Immutable.
    nonisolated(unsafe) public let allHeaderFields: [AnyHashable: Any]
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
        self.statusCode = statusCode
        allHeaderFields = headerFields ?? [:]
        let length = headerFields?["Content-Length"].flatMap(Int64.init) ?? -1
        super.init(url: url, expectedContentLength: length)
    }
}
