import AuthStateKit
import AuthStateResource

extension Session {
    /// Returns the stored login for a resource, or for another one of the same authorization server, whose client serves both;
    /// nil when nothing is stored, or another login.
    func record(for resource: ResourceIdentifier, _ settings: Settings) async throws -> AuthState.Record? {
        guard try await !isEmpty() else { return nil }
        let record = try await load().record
        guard let other = record.resource, let issuer = record.client.provider.issuer else { return nil }
        if other == resource.rawValue { return record }
        let addresses = settings.link.allowsPrivateAddresses ? AddressPolicy.any : .publicOnly
        let servers = try? await service(settings, outsideAddresses: addresses).describe(resource).metadata
            .authorizationServers
        func name(_ issuer: Issuer) -> Substring {
            issuer.rawValue.hasSuffix("/") ? issuer.rawValue.dropLast() : issuer.rawValue[...]
        }
        return servers?.contains { name($0) == name(issuer) } == true ? record : nil
    }

    /// Refuses to register a client where another login is kept, which its registration would replace.
    func requirePlaceForRegistration(of resource: ResourceIdentifier) async throws {
        if try await !isEmpty() {
            throw Self.occupied(expected: "no login, or one for an API of the authorization server of \(resource)")
        }
    }

    /// Returns the access to a resource, whose login is kept at this place.
    ///
    /// - Parameters:
    ///   - settings: Kept with the login.
    ///   - options: The options of the access; the settings add theirs.
    ///   - wrap: Watches the requests.
    func access(
        to resource: ResourceIdentifier, clients: [ResourceClient], login: ResourceLogin, _ settings: Settings,
        options: ResourceAccess.Options, transport wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> ResourceAccess {
        var options = options
        options.annotations = settings.annotations
        options.redirectURI = try settings.redirectURI.map(RedirectURI.init)
        if settings.link.toleratesParent { options.tolerances.insert(.parentResource) }
        var stateOptions = self.options(settings)
        // A path, or a session, that the server refuses says nothing of the login, which other programs share.
        stateOptions.unauthorizedPolicy = .renewOnceForRequest
        // A URL that the user typed may lead anywhere; what is found there may not.
        let addresses = settings.link.allowsPrivateAddresses ? AddressPolicy.any : .publicOnly
        return try ResourceAccess(
            resource.rawValue, clients: clients, login: login, store: store, key: key,
            service: service(settings, outsideAddresses: addresses, transport: wrap),
            stateOptions: stateOptions, options: options)
    }

    /// Runs a body with an access. It then waits for a renewal in progress, as `withState(transport:_:)` does.
    func withAccess<R>(
        _ access: ResourceAccess, _ body: nonisolated(nonsending) (ResourceAccess) async throws -> R
    ) async throws -> R {
        do {
            let result = try await body(access)
            await finish(access)
            return result
        } catch {
            await finish(access)
            throw error
        }
    }

    private func finish(_ access: ResourceAccess) async {
        // The state is in memory already, unless there is none to finish.
        if let state = try? await access.authState() { await finishRenewals(of: state) }
    }
}
