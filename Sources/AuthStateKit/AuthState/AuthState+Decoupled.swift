import AuthStateOAuth

extension AuthState.WayIn {
    /// Logs in a user who confirms on another device.
    func authorize(
        _ request: DeviceAuthorizationRequest, present: (DeviceAuthorizationResponse) async throws -> Void
    ) async throws -> AuthState {
        try await authorize(present) { try await service.authorizeDevice(request, credential: credential) }
    }

    /// Logs in a user whom the provider asks (CIBA).
    func authorize(
        _ request: BackchannelAuthenticationRequest, present: (BackchannelAuthenticationResponse) async throws -> Void
    ) async throws -> AuthState {
        try await authorize(present) { try await service.authorizeBackchannel(request, credential: credential) }
    }

    /// Begins a login that is confirmed elsewhere, presents it to the user, and waits for the decision.
    private func authorize<Response: DecoupledResponse>(
        _ present: (Response) async throws -> Void, begin: () async throws -> Response
    ) async throws -> AuthState {
        try await tryStore()
        let response = try await begin()
        try await present(response)
        return try await complete(response)
    }

    /// Completes a login that was begun elsewhere: waits until the user has decided.
    func complete(_ response: some DecoupledResponse) async throws -> AuthState {
        try await state {
            let tokens = try await service.traced {
                try await service.poll(response, credential: credential, additionalParameters: [:])
            }
            let request = response.request
            var record = self.record(request.configuration, request.clientID, dpopKey: request.dpopKey)
            record.resources = request.resources
            return (record, .loggedIn(nil, tokens, requestedScope: request.scopes.requested))
        }
    }
}
