import AuthStateKit

extension Login {
    func configuration(_ service: AuthorizationService, _ console: Console) async throws -> ProviderConfiguration {
        let issuer = try await identity.issuer(service, console)
        var configuration = client.adapt(try await connection.configuration(service, issuer: issuer))
        if let leeway = tokens.leeway { configuration.idTokenPolicy.leeway = .seconds(leeway) }
        return configuration
    }

    /// How the tokens are obtained, with the means of this machine.
    enum Way {
        case page(any ExternalUserAgent)
        case device(DevicePresenter)
        case backchannel
        case client
        case assertion(key: ClientCredential)
        case issuedAssertion(ClientCredential)

        /// The terminal's line while a user confirms the login elsewhere; nil where the page has it.
        var wait: String? {
            switch self {
            case .device: "Waiting for you to confirm the login"
            case .backchannel: "Waiting for the login to be confirmed"
            case .page, .client, .assertion, .issuedAssertion: nil
            }
        }
    }

    /// The browser, which inherits no secret that this command is given.
    private func opener(_ stored: AuthState.Record?) throws -> Browser {
        let secrets = [
            client.clientSecretEnv, client.assertionEnv, registration.initialAccessTokenEnv, backchannel.userCodeEnv,
        ]
        return try browser.browser(for: .authorization)
            .withholding(secrets.compactMap(\.self) + (stored?.secretVariables ?? []))
    }

    /// How the options obtain tokens.
    ///
    /// - Parameter stored: The login whose client is used again; nil for a client that the options name.
    func way(_ context: Context, stored: AuthState.Record? = nil) throws -> Way {
        switch tokens.grant {
        case .authorizationCode:
            if authorization.paste { return .page(PasteUserAgent()) }
            return .page(context.userAgent(try opener(stored), for: .login))
        case .device:
            return .device(
                DevicePresenter(console: context.console, browser: browserOption == nil ? nil : try opener(stored)))
        case .ciba: return .backchannel
        case .clientCredentials: return .client
        case .jwtBearer:
            if let assertion = client.assertion { return .issuedAssertion(assertion) }
            return .assertion(key: client.key.credential ?? .none)
        }
    }
}
