import AsyncHTTPClient
import AuthStateKit
import Logging
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request with tokens, sent again only if its body allows it.
struct AuthorizedExchange {
    /// The most of a refusing answer that is read, so that its connection can be used again.
    private static let longestRefusal = 64 << 10

    private let url: URL
    private let request: HTTPClientRequest
    private let client: HTTPClient
    private let timeout: TimeAmount
    private let logger: Logger?
    /// The answer that led to an error, of a request that cannot be repeated.
    private var refusal: HTTPClientResponse?
    /// Whether that answer refused the token: an answer that wants more rights is an error for the caller.
    private var isRejected = false

    init(_ request: HTTPClientRequest, by client: HTTPClient, timeout: TimeAmount, logger: Logger?) throws {
        guard let url = URL(string: request.url) else {
            throw AuthStateError(.invalidArgument, stage: .usage, "The request has no URL.")
        }
        self.url = url
        self.request = request
        self.client = client
        self.timeout = timeout
        self.logger = logger
    }

    /// What the request does, by method and path.
    var operation: String { "\(request.method.rawValue) \(url.path())" }

    /// Sends the request; called again after a renewal or a login, returns the first answer instead if the request cannot be
    /// repeated.
    nonisolated(nonsending) mutating func run(with tokens: Tokens) async throws -> HTTPClientResponse {
        if let refusal { return refusal }
        var authorized = request
        for field in try tokens.authorizationHeaders(method: .init(rawValue: request.method.rawValue), url: url) {
            authorized.headers.replaceOrAdd(name: field.name, value: field.value)
        }
        let response = try await client.execute(authorized, timeout: timeout, logger: logger)
        // On the way over another origin the client drops the token: the answer is about something else then.
        guard response.history.allSatisfy({ URL(string: $0.request.url)?.isOfSameOrigin(as: url) == true }) else {
            return response
        }
        // A proof is for one method and URL: a server that the client was redirected to refuses it, and not the token.
        if tokens.isDPoPBound, response.history.count > 1 { return response }
        do { try tokens.check(TransportResponse(response), of: response.url ?? url) } catch {
            if !request.canRepeat {
                (refusal, isRejected) = (response, error is TokenRejected)
                throw error
            }
            guard var rejection = error as? TokenRejected else { throw error }
            rejection.body = await Self.beginning(of: response)
            throw rejection
        }
        return response
    }

    /// Returns the answer that refused the token, or throws the error that the state made of it.
    func outcome(of error: AuthStateError) throws -> HTTPClientResponse {
        guard let refusal, isRejected else { throw error }
        return refusal
    }

    private static func beginning(of response: HTTPClientResponse) async -> String? {
        guard let body = try? await response.body.collect(upTo: longestRefusal), body.readableBytes > 0 else {
            return nil
        }
        return String(decoding: body.readableBytesView.prefix(1024), as: UTF8.self)
    }
}

extension TransportResponse {
    /// The head of an answer; its body is the caller's to read.
    fileprivate init(_ response: HTTPClientResponse) {
        self.init(status: Int(response.status.code))
        for field in response.headers { headers.append(field.name, field.value) }
    }
}

extension HTTPClientRequest {
    /// Whether the request can be sent again: without a body, or with one of bytes.
    ///
    /// The client knows, and has no interface that tells. Where its stored properties are not as expected, the answer is no.
    fileprivate var canRepeat: Bool {
        guard let body else { return true }
        guard let mode = Mirror(reflecting: body).children.first(where: { $0.label == "mode" })?.value,
            let storage = Mirror(reflecting: mode).children.first
        else { return false }
        switch storage.label {
        case "byteBuffer": return true
        case "sequence":
            let parts = Mirror(reflecting: storage.value).children
            return parts.first { $0.label == "canBeConsumedMultipleTimes" }?.value as? Bool == true
        default: return false
        }
    }
}

extension URL {
    /// Whether scheme, host and port are the same.
    fileprivate func isOfSameOrigin(as other: URL) -> Bool {
        func origin(_ url: URL) -> [String?] {
            let scheme = url.scheme?.lowercased()
            return [scheme, url.host()?.lowercased(), "\(url.port ?? (scheme == "https" ? 443 : 80))"]
        }
        return origin(self) == origin(other)
    }
}
