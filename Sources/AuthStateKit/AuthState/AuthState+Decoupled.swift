import AuthStateOAuth

extension AuthState {
    /// Waits until the person has decided about a login that was begun elsewhere, and keeps the result.
    ///
    /// - Throws: `AuthStateError`, `CancellationError`; what was stored before is then untouched.
    static func complete(
        _ response: some DecoupledResponse, credential: ClientCredential, service: AuthorizationService,
        store: any AuthStateStore, key: AuthStateKey, annotations: [String: String], options: Options
    ) async throws -> AuthState {
        let tokens = try await service.traced {
            try await tryStore(store, key, options)
            return try await service.poll(response, credential: credential, additionalParameters: [:])
        }
        let request = response.request
        var record = Record(configuration: request.configuration, clientID: request.clientID, credential: credential)
        record.annotations = annotations
        record.dpopKey = request.dpopKey
        record.resources = request.resources
        return try await make(
            record, .loggedIn(nil, tokens, requestedScope: request.scopes.requested), service: service, store: store,
            key: key, options: options)
    }
}
