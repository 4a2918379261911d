import AuthStateKit
import AuthStateResource
import AuthStateTesting
import Foundation
import HTTPTypes

/// A state at a provider, whose protected resource is asked by a client that speaks HTTPTypes.
struct World {
    let provider: OpenIDProvider
    let service = AuthorizationService()
    let state: AuthState

    init(isBound: Bool = false, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        provider = try await OpenIDProvider(configuration: configuration)
        var request = AuthorizationRequest(
            try await Client(service.discoverConfiguration(issuer: provider.issuer), id: "app"))
        if isBound { request.dpopKey = try .generate() }
        state = try await AuthState.logIn(.browser(request, DirectUserAgent()), at: .memory(service: service))
    }

    /// A request to the protected resource.
    func request(_ method: HTTPRequest.Method = .get) -> HTTPRequest {
        let url = provider.url(of: .resource)
        return HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(provider.port)", path: url.path())
    }

    /// An access to the protected resource, with a login of its own.
    func access(login: ResourceLogin = .presenting(DirectUserAgent())) throws -> ResourceAccess {
        var metadata = ClientMetadata()
        metadata.clientName = "Tests"
        return try ResourceAccess(
            provider.url(of: .resource).absoluteString, clients: [.registering(metadata)], login: login,
            store: InMemoryAuthStateStore(), service: service)
    }

    /// The number of logins at the provider.
    var logins: Int { provider.requests(at: .authorization).count }

    /// The requests that the resource received.
    var requests: [OpenIDProvider.Request] { provider.requests(at: .resource) }

    /// The program's own client: sends a request, and returns the answer with its body.
    @Sendable func send(_ request: HTTPRequest) async throws -> (HTTPResponse, Data) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path,
            let url = URL(string: "\(scheme)://\(authority)\(path)")
        else { throw URLError(.badURL) }
        var sent = TransportRequest(method: .init(rawValue: request.method.rawValue), url: url)
        for field in request.headerFields { sent.headers[field.name.rawName] = field.value }
        let answer = try await service.transport.send(sent)
        var response = HTTPResponse(status: .init(code: answer.status))
        for field in answer.headers {
            guard let name = HTTPField.Name(field.name) else { continue }
            response.headerFields.append(HTTPField(name: name, value: field.value))
        }
        return (response, answer.body)
    }
}
