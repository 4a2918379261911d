import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Login {
    /// The client that logs in, known to the provider before or registered for this.
    struct Party {
        var clientID: String
        /// What is registered, when it registered itself.
        var registration: RegistrationResponse?
        var credential: ClientCredential
        /// What signs requests; nil leaves them unsigned.
        var signingCredential: ClientCredential?
    }

    /// The client that the options name; with `--register` the one that was registered here, or else a new one, which is
    /// kept before anybody logs in.
    func party(at configuration: ServiceConfiguration, _ place: Place) async throws -> Party {
        var registered: RegistrationResponse?
        if client.register {
            registered = try await place.session.registration(at: configuration, now: Date())
            if registered == nil { registered = try await register(at: configuration, place) }
        }
        return Party(
            clientID: registered?.clientID ?? client.clientID ?? "",
            registration: registered,
            credential: client.credential(of: registered) ?? .none,
            signingCredential: client.signingCredential(of: registered))
    }

    private func register(at configuration: ServiceConfiguration, _ place: Place) async throws -> RegistrationResponse {
        let uris = [try registeredRedirectURI()]
        var request = try registration.request(configuration, redirectURIs: uris)
        request.scopes = tokens.scopes()
        request.postLogoutRedirectURIs = uris
        try request.prepare(
            for: [tokens.grant], responseType: authorization.responseType ?? .code, key: client.key)
        return try await place.session.register(
            request, privateKey: client.key.credential, settings: place.settings, service: place.service)
    }

    /// The redirect URI as it is registered: one whose port is free is registered without a port.
    private func registeredRedirectURI() throws -> RedirectURI {
        guard let redirectURI = try redirectURI else { return try RedirectURI(RegistrationOptions.redirectURI) }
        let uri = try RedirectURI(redirectURI)
        guard uri.port == 0 else { return uri }
        return try RedirectURI(redirectURI.replacing(":0", with: "", maxReplacements: 1))
    }
}
