import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth

extension AuthorizationService {
    /// Finds a provider's endpoints by its issuer, and remembers them for `metadataMaximumAge`.
    ///
    /// The document of OpenID Connect Discovery 1.0, section 4, is read first. When it lacks endpoints that RFC 8414
    /// defines (registration, revocation, introspection), those of the provider's RFC 8414 document are added, if there
    /// is one of the same issuer whose endpoints are all acceptable; where both name an endpoint, the first document's
    /// stands. When the first does not exist, or a page for people is in its place, the RFC 8414 document stands alone: enough
    /// for OAuth without `openid`. A redirect within the document's origin is followed, twice at most.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, exactly as the provider writes it.
    ///   - tolerances: The provider's known deviations from the standards; kept in the configuration.
    ///   - addressPolicy: The addresses at which the provider may be: `.publicOnly` for an issuer that the program did
    ///     not name itself; kept in the configuration, for all later requests.
    /// - Throws: `AuthStateError` of stage discovery, or `CancellationError`.
    public func discoverConfiguration(
        issuer: String, tolerances: Set<Tolerance> = [], addressPolicy: AddressPolicy = .any
    ) async throws -> ProviderConfiguration {
        try await traced {
            let issuer = try Issuer(issuer)
            return try await remembered(
                MetadataSource(issuer: issuer, tolerances: tolerances, addressPolicy: addressPolicy)
            ) {
                let (found, isWhole) = try await discover(issuer, tolerances, addressPolicy)
                let lifetime = configuration.metadataMaximumAge.inSeconds
                return MetadataCache.Answer(value: found, lifetime: isWhole ? lifetime : min(lifetime, 300))
            }
        }
    }

    /// Returns what is remembered of a provider, or discovers it.
    func remembered(
        _ source: MetadataSource, _ discover: @escaping @Sendable () async throws -> MetadataCache.Answer
    ) async throws -> ProviderConfiguration {
        let found = try await metadata.value(of: source, now: configuration.clock.secondsSince1970) {
            var found = try await discover()
            found.value.addressPolicy = source.addressPolicy
            if source.isNamedByResource { found.value.namedByResource = true }
            return found
        }
        configuration.trace?.noteDiscovery(found)
        return found
    }

    /// Reads an issuer's documents.
    ///
    /// - Returns: The configuration, and false where a document may yet complete it whose server fails or is away now.
    private func discover(
        _ issuer: Issuer, _ tolerances: Set<Tolerance>, _ addresses: AddressPolicy
    ) async throws -> (ProviderConfiguration, isWhole: Bool) {
        let document: ProviderMetadata
        do {
            document = try await fetch(.openIDConnect, of: issuer, addresses)
        } catch let error as AuthStateError where error.isRefusedPlace {
            let found: ProviderMetadata
            do { found = try await fetch(.authorizationServer, of: issuer, addresses) } catch let other
                as AuthStateError
            {
                throw other.isRefusedPlace ? error : other
            }
            notePlace(after: error)
            return (try configuration(found, .authorizationServer, of: issuer, tolerances, addresses), true)
        }
        let found = try configuration(document, .openIDConnect, of: issuer, tolerances, addresses)
        guard document.mayBeCompleted else { return (found, true) }
        let (other, isWhole) = try await completion(for: issuer, addresses)
        guard let other else { return (found, isWhole) }
        let whole = try ProviderConfiguration(
            metadata: document.completed(by: other), issuer: issuer, tolerances: tolerances)
        return (whole, true)
    }

    /// Returns a document's configuration, after checking that each of its endpoints may be called.
    func configuration(
        _ document: ProviderMetadata, _ kind: ProviderMetadata.Kind, of issuer: Issuer, _ tolerances: Set<Tolerance>,
        _ addresses: AddressPolicy
    ) throws -> ProviderConfiguration {
        let found = try ProviderConfiguration(metadata: document, issuer: issuer, kind: kind, tolerances: tolerances)
        try check(document.endpoints, of: issuer, addresses)
        return found
    }

    /// Returns the provider's RFC 8414 document, to complete its OpenID Connect document; nil when none is usable, and whether that is
    /// so for good.
    private func completion(
        for issuer: Issuer, _ addresses: AddressPolicy
    ) async throws -> (ProviderMetadata?, isLasting: Bool) {
        do {
            let other = try await fetch(.authorizationServer, of: issuer, addresses)
            guard TrustCheck.completingIssuer.holds(other.issuer?.isExactly(issuer.rawValue) == true) else {
                return (nil, true)
            }
            try check(other.endpoints, of: issuer, addresses)
            return (other, true)
        } catch let error as AuthStateError {
            return (nil, error.kind != .transient)
        }
    }

    private func check(_ endpoints: [URL], of issuer: Issuer, _ addresses: AddressPolicy) throws {
        for endpoint in endpoints {
            try check(endpoint, issuer: issuer, addresses: addresses, stage: .discovery)
        }
    }

    private func fetch(
        _ kind: ProviderMetadata.Kind, of issuer: Issuer, _ addresses: AddressPolicy
    ) async throws -> ProviderMetadata {
        guard let url = issuer.metadataURL(kind) else {
            throw AuthStateError(
                .invalidIssuer, stage: .discovery, "The issuer is not a URL.", received: issuer.rawValue)
        }
        return try await fetch(at: url, of: issuer, addresses)
    }

    /// Reads the metadata document at one of an issuer's well-known places.
    func fetch(at url: URL, of issuer: Issuer, _ addresses: AddressPolicy) async throws -> ProviderMetadata {
        try check([url], of: issuer, addresses)
        return try ProviderMetadata(
            parsing: await read(
                "discovery document", at: url, addresses: addresses, accept: "application/json",
                hint: "Check the issuer, or give the endpoints by hand."))
    }

    /// Tells the trace that a document was found at the place after one that has a page for people, or a redirect; after one
    /// that its owner named (`isOwn`), also where nothing was there.
    func notePlace(after error: AuthStateError?, isOwn: Bool = false) {
        guard let error, isOwn || ![404, 410].contains(error.httpStatus) else { return }
        configuration.trace?.noteLeniency(.metadataPlace, error.received ?? "the first place")
    }

    /// Returns the body of a well-known document; redirects within its origin are followed, twice at most.
    ///
    /// - Throws: `AuthStateError` with `.discoveryFailed` when there is no such document, a page for people in its place, a
    ///   redirect to another origin, or a third redirect.
    func read(
        _ name: String, at url: URL, addresses: AddressPolicy, accept: String, hint: String,
        stage: AuthStateError.Stage = .discovery
    ) async throws -> Data {
        var (place, redirects) = (url, 0)
        while true {
            let request = TransportRequest(url: place, headers: ["Accept": accept])
            let response = try await send(request, addresses: addresses, stage: stage)
            guard redirects < 2, let next = response.redirect(within: place) else {
                return try document(name, in: response, at: place, hint: hint, stage: stage)
            }
            configuration.trace?.noteLeniency(.metadataRedirect, place.redactedDescription)
            (place, redirects) = (next, redirects + 1)
        }
    }

    private func document(
        _ name: String, in response: GuardedResponse, at url: URL, hint: String, stage: AuthStateError.Stage
    ) throws -> Data {
        try response.read { response in
            if response.isSuccess(200) {
                guard response.isPage else { return response.body }
                throw AuthStateError(
                    .discoveryFailed, stage: stage, "The place of the \(name) has a page for people.",
                    expected: "JSON", received: "\(response.mediaType ?? "a page") at \(url.redactedDescription)",
                    hint: hint, httpStatus: response.status)
            }
            var error = AuthStateError.endpoint(name, response, stage: stage)
            if error.kind == .refused || error.kind == .reauthenticationRequired {
                error.code = .discoveryFailed
                error.hint = hint
            }
            error.received =
                "\(error.received ?? "status \(response.status)") at \(url.redactedDescription)"
            throw error
        }
    }
}

extension GuardedResponse {
    /// Returns where a redirect leads, when that is in the origin of the place that answered; nil for other answers.
    fileprivate func redirect(within url: URL) -> URL? {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers["Location"],
            let next = URL(string: location, relativeTo: url)?.absoluteURL
        else { return nil }
        let (from, to) = (URIReference(url.absoluteString), URIReference(next.absoluteString))
        guard TrustCheck.metadataRedirect.holds(to.origin == from.origin && to.user == nil) else { return nil }
        return next
    }
}

extension AuthStateError {
    /// Whether a server that protects or knows no such path answered, or with a page or another document: the next place is
    /// asked.
    var isRefusedPlace: Bool {
        [.discoveryFailed, .invalidMetadata].contains(code) && (200...499).contains(httpStatus ?? 0)
    }
}
