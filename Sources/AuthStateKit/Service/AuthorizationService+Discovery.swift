import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Finds a provider's endpoints by its issuer, and remembers them for `metadataMaximumAge`.
    ///
    /// The document of OpenID Connect Discovery 1.0, section 4, is read first. When it lacks endpoints that RFC 8414
    /// defines (registration, revocation, introspection), those of the provider's RFC 8414 document are added, if there
    /// is one of the same issuer whose endpoints are all acceptable; where both name an endpoint, the first document's
    /// stands. When the first does not exist, the RFC 8414 document stands alone: enough for OAuth without `openid`.
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
            let found = try await metadata.value(
                of: MetadataSource(issuer: issuer, tolerances: tolerances, addressPolicy: addressPolicy),
                now: configuration.clock.secondsSince1970
            ) {
                var found = try await discover(issuer, tolerances, addressPolicy)
                found.addressPolicy = addressPolicy
                return MetadataCache.Answer(value: found, lifetime: configuration.metadataMaximumAge.inSeconds)
            }
            configuration.trace?.noteDiscovery(found)
            return found
        }
    }

    private func discover(
        _ issuer: Issuer, _ tolerances: Set<Tolerance>, _ addresses: AddressPolicy
    ) async throws -> ProviderConfiguration {
        let document: ProviderMetadata
        do {
            document = try await fetch(.openIDConnect, of: issuer, addresses)
        } catch let error as AuthStateError where error.isAbsence {
            let found: ProviderMetadata
            do { found = try await fetch(.authorizationServer, of: issuer, addresses) } catch let other
                as AuthStateError
            {
                throw other.isAbsence ? error : other
            }
            return try configuration(found, .authorizationServer, of: issuer, tolerances, addresses)
        }
        let found = try configuration(document, .openIDConnect, of: issuer, tolerances, addresses)
        guard document.mayBeCompleted, let other = try await completion(for: issuer, addresses) else { return found }
        return try ProviderConfiguration(
            metadata: document.completed(by: other), issuer: issuer, tolerances: tolerances)
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

    /// Returns the provider's RFC 8414 document, to complete its OpenID Connect document; nil when none is usable.
    private func completion(for issuer: Issuer, _ addresses: AddressPolicy) async throws -> ProviderMetadata? {
        do {
            let other = try await fetch(.authorizationServer, of: issuer, addresses)
            guard TrustCheck.completingIssuer.holds(other.issuer?.isExactly(issuer.rawValue) == true) else {
                return nil
            }
            try check(other.endpoints, of: issuer, addresses)
            return other
        } catch is AuthStateError {
            return nil
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

    /// Returns the body of a well-known document.
    ///
    /// - Throws: `AuthStateError` with `.discoveryFailed` when there is no such document, redirects included.
    func read(
        _ name: String, at url: URL, addresses: AddressPolicy, accept: String, hint: String,
        stage: AuthStateError.Stage = .discovery
    ) async throws -> Data {
        let request = TransportRequest(url: url, headers: ["Accept": accept])
        return try await send(request, addresses: addresses, stage: stage).read { response in
            guard response.status != 200 else { return response.body }
            var error = AuthStateError.endpoint(name, response, stage: stage)
            if error.kind == .refused || error.kind == .reauthenticationRequired {
                error.code = .discoveryFailed
                error.hint = hint
            }
            error.received = error.received ?? "status \(response.status) at \(url.redactedDescription)"
            throw error
        }
    }
}

extension AuthStateError {
    /// Whether the well-known document does not exist.
    var isAbsence: Bool { code == .discoveryFailed && [404, 410].contains(httpStatus) }

    /// Whether a server that protects or knows no such path answered: the next place is asked.
    var isRefusedPlace: Bool { code == .discoveryFailed && (400...499).contains(httpStatus ?? 0) }
}
