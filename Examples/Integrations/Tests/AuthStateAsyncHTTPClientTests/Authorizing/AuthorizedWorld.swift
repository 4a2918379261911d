import AsyncHTTPClient
import AuthStateAsyncHTTPClient
import AuthStateKit
import AuthStateResource
import AuthStateServer
import AuthStateTesting
import Foundation
import NIOCore
import NIOHTTP1

/// A state at a provider, and a client of the program's own that asks the provider's protected resource.
struct AuthorizedWorld {
    let provider: OpenIDProvider
    let service = AuthorizationService()
    let state: AuthState
    /// Follows redirects; it is never shut down, so that a test may fail before its end.
    private let client = HTTPClient.shared

    init(isBound: Bool = false, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        provider = try await OpenIDProvider(configuration: configuration)
        var request = AuthorizationRequest(
            try await Client(service.discoverConfiguration(issuer: provider.issuer), id: "app"))
        if isBound { request.dpopKey = try .generate() }
        state = try await AuthState.logIn(.browser(request, DirectUserAgent()), at: .memory(service: service))
    }

    /// The requests that the resource received.
    var requests: [OpenIDProvider.Request] { provider.requests(at: .resource) }

    /// Sends a request to the resource, or elsewhere.
    func send(
        _ method: HTTPMethod = .GET, body: HTTPClientRequest.Body? = nil, to url: String? = nil
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url ?? provider.url(of: .resource).absoluteString)
        (request.method, request.body) = (method, body)
        return try await client.execute(request, authorizedBy: state, timeout: .seconds(60))
    }

    /// Sends a request with a state of a pool.
    func send(by pool: AuthStatePool, for key: AuthStateKey) async throws -> HTTPClientResponse {
        let request = HTTPClientRequest(url: provider.url(of: .resource).absoluteString)
        return try await client.execute(request, authorizedBy: pool, for: key, timeout: .seconds(60))
    }

    /// An access to the protected resource, with a login of its own.
    func access(login: ResourceLogin = .presenting(DirectUserAgent())) throws -> ResourceAccess {
        var metadata = ClientMetadata()
        metadata.clientName = "Tests"
        return try ResourceAccess(
            provider.url(of: .resource).absoluteString, clients: [.registering(metadata)], login: login,
            store: InMemoryAuthStateStore(), service: service)
    }

    /// Sends a request to the resource, or elsewhere, by an access.
    func send(
        by access: ResourceAccess, _ method: HTTPMethod = .GET, body: HTTPClientRequest.Body? = nil,
        to url: String? = nil
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url ?? provider.url(of: .resource).absoluteString)
        (request.method, request.body) = (method, body)
        return try await client.execute(request, authorizedBy: access, timeout: .seconds(60))
    }

    /// The number of logins at the provider.
    var logins: Int { provider.requests(at: .authorization).count }

    func stop() async { await provider.stop() }
}

/// A body that an asynchronous sequence makes.
func stream(_ text: String) -> HTTPClientRequest.Body {
    let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    continuation.yield(ByteBuffer(string: text))
    continuation.finish()
    return .stream(parts, length: .known(Int64(text.utf8.count)))
}
