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

    private enum Name {
        /// The library writes this one.
        static let resource = "resource"
        static let documentURL = "authstate.client-metadata-url"
        static let toleratesParent = "authstate.parent-resource"
        static let allowsPrivateAddresses = "authstate.allow-private-addresses"
    }

    init() {}

    init(annotations: [String: String]) {
        resource = annotations[Name.resource]
        documentURL = annotations[Name.documentURL]
        toleratesParent = annotations[Name.toleratesParent] == "true"
        allowsPrivateAddresses = annotations[Name.allowsPrivateAddresses] == "true"
    }

    var annotations: [String: String] {
        let all: [String: String?] = [
            Name.resource: resource,
            Name.documentURL: documentURL,
            Name.toleratesParent: toleratesParent ? "true" : nil,
            Name.allowsPrivateAddresses: allowsPrivateAddresses ? "true" : nil,
        ]
        return all.compactMapValues { $0 }
    }
}

extension AuthState.Record {
    /// The API that the login is for; nil for a login that began at a provider.
    public var resource: String? { ResourceLink(annotations: annotations).resource }

    /// The environment variables that hold the client's secret, which no browser inherits.
    var secretVariables: [String] {
        [client.credential, assertionGrant?.assertion, jwtBearer?.key].compactMap {
            if case .environment(let name)? = $0?.source { name } else { nil }
        }
    }

    /// Whether its end has to remember the server that the client's secret is for: a login for an API that named the server.
    var belongsToNamedServer: Bool {
        resource != nil && client.credential != .none && lastRegistrationResponse == nil
            && client.id != ResourceLink(annotations: annotations).documentURL
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
        if let url = ResourceLink(annotations: annotations).documentURL, client.id == url {
            return [.document(url, credential: client.credential)]
        }
        let proof = jwtBearer?.key ?? client.credential
        return [.known(client.id, credential: proof, issuer: client.provider.issuer?.rawValue)]
    }
}
