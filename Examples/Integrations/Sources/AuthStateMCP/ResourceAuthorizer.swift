import AuthStateKit
public import AuthStateResource
public import Foundation
import Synchronization

/// A `ResourceAccess` as the authorizer of an HTTP transport of the Swift SDK of the Model Context Protocol.
///
/// Its members are those of the SDK's `HTTPClientAuthorizer`, which this package does not depend on. Say so in the program, and
/// give it to the transport:
///
/// ```swift
/// extension ResourceAuthorizer: @retroactive HTTPClientAuthorizer {}
///
/// let transport = HTTPClientTransport(endpoint: server, authorizer: ResourceAuthorizer(access))
/// ```
///
/// Any number of transports and processes share the login, one renewal and one page. The SDK's own authorizer keeps its tokens in
/// memory, for one transport. A token that is bound to a DPoP key needs a proof for each request (RFC 9449), which the transport's
/// `requestModifier` adds:
///
/// ```swift
/// let authorizer = ResourceAuthorizer(access)
/// let transport = HTTPClientTransport(
///     endpoint: server,
///     requestModifier: { request in
///         var request = request
///         for (name, value) in authorizer.proof(method: request.httpMethod ?? "GET", url: server) {
///             request.setValue(value, forHTTPHeaderField: name)
///         }
///         return request
///     }, authorizer: authorizer)
/// ```
public final class ResourceAuthorizer: Sendable {
    /// The access to the server.
    public let access: ResourceAccess
    private let current = Mutex<Tokens?>(nil)

    /// Makes an authorizer of an access.
    public init(_ access: ResourceAccess) { self.access = access }

    /// The most challenges of one request that are answered: a login, one for more rights, and one after a lost grant.
    public var maxAuthorizationAttempts: Int { 3 }

    /// Refuses an endpoint that is not the access's resource: its tokens are for no other server.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    public func validateEndpointSecurity(for endpoint: URL) throws {
        guard access.resource.hasOrigin(of: endpoint) else {
            throw AuthStateError(
                .invalidArgument, stage: .resource, "The endpoint is one of another server than the access's.",
                expected: access.resource.origin, received: endpoint.host() ?? "",
                hint: "Make a ResourceAccess, and an authorizer, for each server.")
        }
    }

    /// Returns the `Authorization` header field; nil before the first login, and for another server.
    public func authorizationHeader(for endpoint: URL) -> String? {
        guard access.resource.hasOrigin(of: endpoint) else { return nil }
        return current.withLock { $0.map { "\($0.isDPoPBound ? "DPoP" : "Bearer") \($0.accessToken)" } }
    }

    /// Returns the header fields that prove the key of a bound token, for one request; none for a bearer token, before the first
    /// login, and for another server.
    ///
    /// - Parameters:
    ///   - method: The method as it is sent.
    ///   - url: The request's URL.
    public func proof(method: String, url: URL) -> [String: String] {
        guard access.resource.hasOrigin(of: url), let tokens = current.withLock({ $0 }), tokens.isDPoPBound,
            let fields = try? tokens.authorizationHeaders(method: .init(rawValue: method), url: url)
        else { return [:] }
        return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Renews the tokens of a login that there is; the server's challenge leads to the first one.
    ///
    /// - Throws: `CancellationError`. A renewal that fails is left to the server's challenge.
    public func prepareAuthorization<Session>(for endpoint: URL, session: Session) async throws {
        guard access.resource.hasOrigin(of: endpoint) else { return }
        do {
            let tokens = try await access.authState()?.freshTokens()
            current.withLock { $0 = tokens }
        } catch {
            try Task.checkCancellation()
        }
    }

    /// Logs in, or gets other tokens or more rights, as a challenge asks.
    ///
    /// - Returns: Whether the request can be sent again with another header field.
    /// - Throws: As `ResourceAccess.accessToken()` does.
    public func handleChallenge<Session>(
        statusCode: Int, headers: [String: String], endpoint: URL, operationKey: String?, session: Session
    ) async throws -> Bool {
        try validateEndpointSecurity(for: endpoint)
        let challenge = Self.value("WWW-Authenticate", in: headers)
        // A 403 without a challenge for more rights is the caller's.
        guard statusCode == 401 || statusCode == 403 && challenge?.contains("insufficient_scope") == true else {
            return false
        }
        let refused = current.withLock { $0 }
        if let refused {
            // Another proof is wanted, not another token (RFC 9449, section 9).
            if refused.isDPoPBound, challenge?.contains("use_dpop_nonce") == true,
                let nonce = Self.value("DPoP-Nonce", in: headers)
            {
                refused.recordNonce(from: ["DPoP-Nonce": nonce], of: endpoint)
                return true
            }
            let rejection = TokenRejected(challenges: challenge.map { [$0] } ?? [], url: endpoint)
            _ = try await access.accessToken(after: rejection, of: refused.accessToken)
        } else {
            _ = try await access.accessToken()
        }
        let tokens = try await access.authState()?.freshTokens()
        current.withLock { $0 = tokens }
        return tokens?.accessToken != refused?.accessToken
    }

    private static func value(_ name: String, in headers: [String: String]) -> String? {
        headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}
