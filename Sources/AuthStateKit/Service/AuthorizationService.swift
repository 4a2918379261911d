package import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem
import AuthStateTransport

/// Talks to a provider: discovery, authorization, tokens, userinfo, logout.
///
/// A value; copies share its caches of metadata and keys.
public struct AuthorizationService: Sendable {
    /// The transport of all requests; with a trace, one that reports every exchange to it.
    public let transport: any HTTPTransport
    /// Limits and clocks.
    public let configuration: Configuration
    let metadata = MetadataCache()
    let keys = KeyCache()
    let dpopNonces = DPoPNonces()

    /// Makes a service; its transport is libcurl on Linux and URLSession on Apple platforms, unless you bring your own.
    public init(transport: any HTTPTransport = SystemTransport.shared, configuration: Configuration = Configuration()) {
        self.transport = configuration.trace.map { TracingTransport(base: transport, trace: $0) } ?? transport
        self.configuration = configuration
    }

    /// Limits and clocks of a service.
    public struct Configuration: Sendable {
        /// The clock for expiry, and for pauses.
        public var clock: WallClock = .system
        /// How long one request may take.
        public var requestTimeout: Duration = .seconds(30)
        /// The maximum size of an answer in bytes.
        public var maximumResponseBytes = 1 << 20
        /// Whether http is allowed for issuers that are not on this machine.
        public var allowsInsecureHTTP = false
        /// The addresses that may be asked because of a user's input: the host of a WebFinger identifier, and an
        /// issuer that comes from outside and that a rule allows, not the program's list.
        ///
        /// `.any` is for providers of an internal network. Issuers that the program itself names may be anywhere.
        public var outsideAddressPolicy = AddressPolicy.publicOnly
        /// How long a discovery document is used.
        public var metadataMaximumAge: Duration = .seconds(3600)
        /// The trace that receives every step of a login, without secrets; nil for none.
        public var trace: LoginTrace?

        /// Makes the default configuration.
        public init() {}
    }

    /// Sends one request, within the service's limits, to the addresses that it may go to. Throws `AuthStateError` of
    /// kind `.transient` or `.configuration`, or `CancellationError`.
    package func send(
        _ request: TransportRequest, addresses: AddressPolicy, stage: AuthStateError.Stage
    ) async throws -> GuardedResponse {
        let request = limited(request, addresses)
        do {
            return GuardedResponse(
                try await transport.send(request), to: request, trace: configuration.trace)
        } catch let error as TransportError {
            throw request.secrets.hiding(AuthStateError(error, stage: stage))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // A custom transport threw an error of its own.
            throw request.secrets.hiding(AuthStateError(wrapping: error, stage: stage))
        }
    }

    /// Sends a request to a protected resource with tokens, and checks what the answer says about them.
    nonisolated(nonsending) func send(
        _ request: TransportRequest, with tokens: Tokens, by send: (TransportRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        var request = request
        for field in try tokens.authorizationHeaders(method: request.method, url: request.url) {
            request.headers[field.name] = field.value
        }
        let response: TransportResponse
        do { response = try await send(request) } catch let error as TransportError {
            throw request.secrets.hiding(AuthStateError(error, stage: .resource))
        }
        return try GuardedResponse(response, to: request, trace: configuration.trace).read { response in
            try tokens.check(response, of: request.url, now: configuration.clock.now)
            return response
        }
    }

    /// Returns a request within the service's limits.
    func limited(_ request: TransportRequest, _ addresses: AddressPolicy) -> TransportRequest {
        var request = request
        request.timeout = configuration.requestTimeout
        request.maximumResponseBytes = configuration.maximumResponseBytes
        request.addressPolicy = addresses
        request.headers["User-Agent"] = "AuthStateKit"
        return request
    }

    /// Refuses an endpoint of a provider that may not be called.
    package func check(_ endpoint: URL, of provider: ProviderConfiguration, stage: AuthStateError.Stage) throws {
        try check(endpoint, issuer: provider.issuer, addresses: provider.addressPolicy, stage: stage)
    }

    func check(_ endpoint: URL, issuer: Issuer?, addresses: AddressPolicy, stage: AuthStateError.Stage) throws {
        try check(URIReference(endpoint.absoluteString), issuer: issuer, addresses: addresses, stage: stage)
    }

    /// Refuses a URL that is neither https nor loopback beside a loopback issuer, and one whose address the policy forbids.
    ///
    /// Names are checked where the transport connects.
    func check(_ parts: URIReference, issuer: Issuer?, addresses: AddressPolicy, stage: AuthStateError.Stage) throws {
        guard TrustCheck.publicAddress.holds(addresses.allows(host: String(parts.host ?? ""))) else {
            throw AuthStateError(
                .addressNotAllowed, stage: stage, "A URL from outside names an address that is not public.",
                expected: "a name, or an address of the public internet", received: parts.redacted,
                hint: Self.addressHint)
        }
        let isLocal = issuer.map { URIReference($0.rawValue).reachesThisMachine } ?? true
        guard TrustCheck.endpointHost.holds(isLocal || !parts.reachesThisMachine) else {
            throw AuthStateError(
                .insecureURL, stage: stage, "A remote provider names an endpoint on this machine.",
                expected: "a public endpoint", received: parts.redacted, hint: "Do not trust this provider.")
        }
        let mayBePlain = parts.isLoopback && issuer?.isLoopback ?? true || configuration.allowsInsecureHTTP
        guard TrustCheck.endpointTLS.holds(parts.hasScheme("https") || parts.hasScheme("http") && mayBePlain) else {
            throw AuthStateError(
                .insecureURL, stage: stage, "The endpoint is not protected by TLS.", expected: "https",
                received: parts.redacted,
                hint: "Use https. Only providers on this machine may use http, others with allowsInsecureHTTP.")
        }
    }

    fileprivate static let addressHint =
        "Do not trust it; for a provider of the internal network name its issuer, or set outsideAddressPolicy."
}

extension AuthStateError {
    package init(_ error: TransportError, stage: Stage) {
        let entry = Self.transportCodes[error.code] ?? (.connectionLost, "Try again later.")
        self = Self(entry.code, stage: stage, error.message, hint: entry.hint).explained
    }

    private static let transportCodes: [TransportError.Code: (code: Code, hint: String)] = [
        .unreachable: (.unreachable, "Check the address and the network, then try again."),
        .addressNotAllowed: (.addressNotAllowed, AuthorizationService.addressHint),
        .timedOut: (.timedOut, "Try again later."),
        .connectionLost: (.connectionLost, "Try again later."),
        .insecureConnection: (
            .insecureConnection, "Check the address and the certificate; a private authority has to be trusted by name."
        ),
        .clientCertificate: (
            .credentialUnavailable, "Check the files of the client's certificate, and which one the provider knows."
        ),
        .responseTooLarge: (.responseTooLarge, "Check that the endpoint is the right one."),
        .invalidRequest: (.invalidArgument, "Check the URL and the headers."),
        .libraryUnavailable: (.libraryUnavailable, "Install the package that the message names."),
    ]
}
