import AuthStateKit
import AuthStateOAuth
import AuthStateProgram
import AuthStateTransport

/// The stored login, which the proxy opens once and follows: the state adopts logouts, renewals and logins of other
/// processes, and is opened again when another login needs other settings, or cannot be read with the key at hand.
actor ProxyLogin {
    private let upstream: ProxyUpstream
    private let parameters: RenewalParameters
    private let context: Context
    private var opening: Task<OpenLogin, any Error>?

    init(for upstream: ProxyUpstream, _ parameters: RenewalParameters, _ context: Context) {
        (self.upstream, self.parameters, self.context) = (upstream, parameters, context)
    }

    /// Sends a request with a fresh token; a 401 is answered by one renewal.
    ///
    /// - Parameter upload: The body of a request that is sent as it comes: its 401 is the answer, after the renewal.
    /// - Parameter upgrade: Sends a request that opens a WebSocket, in place of the library's transport.
    /// - Returns: The API's answer when its head has come, and the reason when its last word was that the token does not do.
    nonisolated func send(
        _ request: TransportRequest, _ upload: StreamedBody? = nil, upgrade: ProxyUpgrade? = nil
    ) async throws -> (StreamedResponse, AuthStateError?) {
        let login = try await open()
        do { return try await login.send(request, upload, upgrade, parameters) } catch is OpenLogin.Replaced {
        } catch let error as AuthStateError where Self.mayNeedReopening(error) {}
        return try await open(replacing: login).send(request, upload, upgrade, parameters)
    }

    /// Returns the login; opens it the first time, and again for a caller that could not use it.
    ///
    /// - Throws: `AuthStateError` when there is no login, or one for another API.
    @discardableResult
    func open(replacing stale: OpenLogin? = nil) async throws -> OpenLogin {
        if let opening {
            if let login = try? await opening.value, login.state !== stale?.state { return login }
            // Another caller may have begun meanwhile.
            if self.opening == opening { self.opening = nil }
        }
        let task =
            opening
            ?? Task { [upstream, parameters, context] in try await OpenLogin(for: upstream, parameters, context) }
        opening = task
        return try await task.value
    }

    /// Waits for a renewal in progress, whose tokens would otherwise be lost.
    func finish() async {
        guard let login = try? await opening?.value else { return }
        await login.session.finishRenewals(of: login.state)
    }

    /// Whether another login may be stored by now, sealed in another way. The request can be repeated: it was not sent, or, with a body
    /// that is kept, answered with 401.
    private static func mayNeedReopening(_ error: AuthStateError) -> Bool {
        error.code == .notLoggedIn || error.kind == .store && error.code != .storeLocked
    }
}

/// A login with its settings.
struct OpenLogin: Sendable {
    let session: Session
    let state: AuthState
    private let settings: Settings

    /// Another process has logged in with other settings.
    struct Replaced: Error {}

    /// Opens the stored login.
    ///
    /// - Throws: `AuthStateError` when there is no login, or one for another API.
    init(for upstream: ProxyUpstream, _ parameters: RenewalParameters, _ context: Context) async throws {
        session = try await context.session()
        state = try await session.state { record in
            // A token for another resource is asked for by name, and goes where the caller sends it.
            if parameters.resources.isEmpty, let resource = record.resource {
                try Self.check(ResourceIdentifier(resource), is: upstream)
            }
            return [upstream.origin]
        }
        settings = Settings(annotations: state.record.annotations)
        // Watches the store from now on: a state that was just made counts as the stored one for a second.
        try await state.reload()
    }

    /// A token of a login for an API goes to that API alone.
    private static func check(_ resource: ResourceIdentifier, is upstream: ProxyUpstream) throws {
        guard resource.origin != upstream.origin else { return }
        throw AuthStateError(
            .invalidArgument, stage: .usage, "The login is for an API, and its token goes to that one alone.",
            expected: resource.origin, received: upstream.origin,
            hint: "Log in by the issuer, or with --for and this API, under another --profile.")
    }

    /// Sends a request, as `ProxyLogin.send(_:)` does.
    ///
    /// - Throws: Also `Replaced`, before anything is sent.
    func send(
        _ request: TransportRequest, _ upload: StreamedBody?, _ upgrade: ProxyUpgrade?,
        _ parameters: RenewalParameters
    ) async throws -> (StreamedResponse, AuthStateError?) {
        var (answer, refusal): (StreamedResponse?, AuthStateError?)
        do {
            let response = try await state.withFreshToken(parameters, policy: .renewOnceForRequest) { tokens in
                // The body is gone.
                if upload != nil, let answer {
                    refusal = Self.notRepeated
                    return answer
                }
                // The tokens may be those of a later login, with other settings or for another API.
                guard Settings(annotations: state.record.annotations) == settings else { throw Replaced() }
                var request = request
                for field in try tokens.authorizationHeaders(method: request.method, url: request.url) {
                    request.headers[field.name] = field.value
                }
                let transport = state.service.transport
                let response =
                    if let upgrade {
                        try await upgrade.send(request, settings)
                    } else if let upload {
                        try await transport.stream(request, sending: upload)
                    } else {
                        try await transport.stream(request)
                    }
                guard response.status >= 200 || upgrade?.end != nil else {
                    throw AuthStateError(
                        .malformedResponse, stage: .resource, "The API answered with an interim status alone.",
                        received: "\(response.status)")
                }
                var head = TransportResponse(status: response.status, headers: response.headers)
                // A refusal is read as a whole: the token is renewed for it.
                if response.status >= 400 {
                    head = try await response.collected(upTo: ProxyLimits.refusalBytes)
                    answer = StreamedResponse(head)
                } else {
                    answer = response
                }
                try tokens.check(head, of: request.url)
                return answer ?? response
            }
            return (response, refusal)
        } catch let error as TransportError {
            // Most codes have one of the same name.
            throw AuthStateError(.init(rawValue: error.code.rawValue), stage: .resource, error.message)
        } catch let error as AuthStateError where error.stage == .resource || upload != nil {
            // The API's own answer is the result, also when the library throws an error for it.
            guard let answer else { throw error }
            return (answer, error)
        }
    }

    private static let notRepeated = AuthStateError(
        .tokenRejected, stage: .resource,
        "The API rejected a request that is too large to be sent again with a newer token.",
        hint: "Send the request again.")
}
