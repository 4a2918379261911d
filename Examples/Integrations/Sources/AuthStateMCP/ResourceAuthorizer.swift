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
/// memory, for one transport. A token that is bound to a DPoP key needs a proof for each request, which the SDK asks of
/// its `requestModifier`: it is not sent by this authorizer.
public final class ResourceAuthorizer: Sendable {
    /// The access to the server.
    public let access: ResourceAccess
    private let current = Mutex<String?>(nil)

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
        return current.withLock { $0.map { "Bearer \($0)" } }
    }

    /// Renews the tokens of a login that there is; the server's challenge leads to the first one.
    ///
    /// - Throws: `CancellationError`. A renewal that fails is left to the server's challenge.
    public func prepareAuthorization<Session>(for endpoint: URL, session: Session) async throws {
        guard access.resource.hasOrigin(of: endpoint) else { return }
        do {
            let tokens = try await access.authState()?.freshTokens()
            current.withLock { $0 = tokens?.accessToken }
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
        let challenge = headers.first { $0.key.caseInsensitiveCompare("WWW-Authenticate") == .orderedSame }?.value
        // A 403 without a challenge for more rights is the caller's.
        guard statusCode == 401 || statusCode == 403 && challenge?.contains("insufficient_scope") == true else {
            return false
        }
        let refused = current.withLock { $0 }
        let token: String
        if let refused {
            let rejection = TokenRejected(challenges: challenge.map { [$0] } ?? [], url: endpoint)
            token = try await access.accessToken(after: rejection, of: refused)
        } else {
            token = try await access.accessToken()
        }
        current.withLock { $0 = token }
        return token != refused
    }
}
