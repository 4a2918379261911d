public import AuthStateKit
public import AuthStateResource
public import Foundation
public import HTTPTypes

/// Fresh tokens in the requests of a client that OpenAPI Generator wrote.
///
/// Its function is the one of `ClientMiddleware` in swift-openapi-runtime, which this package does not depend on. Say so in the
/// program, and give it to the client:
///
/// ```swift
/// extension FreshTokenMiddleware: @retroactive ClientMiddleware {}
///
/// let tokens = FreshTokenMiddleware(authState) { ($0 as? HTTPBody)?.iterationBehavior == .multiple }
/// let client = Client(serverURL: try Servers.Server1.url(), transport: transport, middlewares: [tokens])
/// ```
public struct FreshTokenMiddleware: Sendable {
    private let perform: @Sendable (HTTPRequest, _ canRepeat: Bool, _ send: @escaping Send) async throws -> HTTPResponse
    private let canRepeat: @Sendable (Any) -> Bool

    private typealias Send = @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Makes a middleware with the tokens of a state.
    ///
    /// - Parameters:
    ///   - authState: The state.
    ///   - canRepeat: Returns whether a body can be sent again after a 401. A request without a body can. One that cannot be
    ///     sent again gets its 401, and the next request has another token.
    public init(_ authState: AuthState, canRepeat: @escaping @Sendable (_ body: Any) -> Bool = { _ in false }) {
        self.canRepeat = canRepeat
        perform = { request, canRepeat, send in
            try await authState.performAction(request, canRepeat: canRepeat) { (try await send($0), ()) }.0
        }
    }

    /// Makes a middleware with the tokens of a resource, which logs in, and for more rights, when the resource demands it.
    ///
    /// - Parameters:
    ///   - access: The access; a request to another origin than its resource's throws.
    ///   - canRepeat: Returns whether a body can be sent again.
    public init(_ access: ResourceAccess, canRepeat: @escaping @Sendable (_ body: Any) -> Bool = { _ in false }) {
        self.canRepeat = canRepeat
        perform = { request, canRepeat, send in
            try await access.performAction(request, canRepeat: canRepeat) { (try await send($0), ()) }.0
        }
    }

    /// Sends a request with fresh tokens, as `AuthState.performAction` of a request does.
    ///
    /// - Parameters:
    ///   - request: The request, with a path below the server's URL.
    ///   - body: The request's body.
    ///   - baseURL: The server's URL.
    ///   - operationID: The name of the operation.
    ///   - next: Sends the request.
    /// - Throws: As `performAction`, and the errors of `next`.
    public func intercept<Body: Sendable>(
        _ request: HTTPRequest, body: Body?, baseURL: URL, operationID: String,
        next: @escaping @Sendable (HTTPRequest, Body?, URL) async throws -> (HTTPResponse, Body?)
    ) async throws -> (HTTPResponse, Body?) {
        var whole = request
        whole.scheme = baseURL.scheme
        whole.authority = baseURL.host().map { name in
            let host = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
            return baseURL.port.map { "\(host):\($0)" } ?? host
        }
        let base = baseURL.path()
        whole.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + (request.path ?? "")
        let answer = Answer<Body>()
        let response = try await perform(whole, body.map(canRepeat) ?? true) { authorized in
            var sent = request
            sent.headerFields = authorized.headerFields
            let (response, body) = try await next(sent, body, baseURL)
            await answer.set(body)
            return response
        }
        return (response, await answer.body)
    }

    /// The body of the last answer.
    private actor Answer<Body: Sendable> {
        private(set) var body: Body?
        func set(_ body: Body?) { self.body = body }
    }
}
