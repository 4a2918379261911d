public import AuthStateKit
import AuthStateResource

/// The connection of a stored login with the API that it is for, and with the ways in which its client came to be.
struct ResourceLink: Sendable, Equatable {
    /// The API; nil for a login that began at a provider.
    var resource: String?
    /// The URL of the client's metadata document, when the program has one.
    var documentURL: String?
    /// Whether a path above the API's may stand for it.
    var toleratesParent = false
    /// Whether the API may lead to addresses of an internal network.
    var allowsPrivateAddresses = false
}

extension AuthState.Record {
    /// The API that the login is for; nil for a login that began at a provider.
    public var resource: String? { Settings(annotations: annotations).link.resource }

    /// Whether a user has confirmed the login on another device.
    var isMadeOnDevice: Bool { Settings(annotations: annotations).grant == .deviceCode }

    /// The environment variables that hold the client's secret or an assertion, which neither a browser nor the program of `run` inherits.
    var secretVariables: [String] {
        [client.credential, assertionGrant?.assertion, jwtBearer?.key].compactMap {
            if case .environment(let name)? = $0?.source { name } else { nil }
        }
    }

    /// Whether its end has to remember the server that the client's secret is for: a login for an API that named the server.
    var belongsToNamedServer: Bool {
        resource != nil && client.credential != .none && lastRegistrationResponse == nil
            && client.id != Settings(annotations: annotations).link.documentURL
    }

    /// The ways in which the stored client can log in again: it registers itself, has a document, or is known to this
    /// authorization server alone.
    var resourceClients: [ResourceClient] {
        // The assertion alone says who asks.
        if client.id.isEmpty { return [] }
        if let registration = lastRegistrationResponse, client.id == registration.clientID {
            var metadata = ClientMetadata()
            metadata.clientName = registration.metadata["client_name"]?.stringValue ?? RegistrationOptions.standardName
            return [.registering(metadata)]
        }
        if let url = Settings(annotations: annotations).link.documentURL, client.id == url {
            // An assertion is for its server; a key proves the client anywhere.
            let issuer = client.credential.isAssertion ? client.provider.issuer?.rawValue : nil
            return [.document(url, credential: client.credential, issuer: issuer)]
        }
        let proof = jwtBearer?.key ?? client.credential
        return [.known(client.id, credential: proof, issuer: client.provider.issuer?.rawValue)]
    }
}
