import AuthStateKit

/// A value that names the client which sends it.
protocol SentByClient {
    var client: Client { get set }
}

extension SentByClient {
    /// The same, by a client with a credential.
    func with(_ credential: ClientCredential) -> Self {
        var copy = self
        copy.client.credential = credential
        return copy
    }
}

extension AuthorizationRequest: SentByClient {}
extension TokenRequest: SentByClient {}
extension DeviceAuthorizationRequest: SentByClient {}
extension BackchannelAuthenticationRequest: SentByClient {}
extension RevocationRequest: SentByClient {}
extension IntrospectionRequest: SentByClient {}
extension PendingAuthorization: SentByClient {}

extension AuthorizationResponse: SentByClient {
    var client: Client {
        get { request.client }
        set { request.client = newValue }
    }
}

extension DeviceAuthorizationResponse: SentByClient {
    var client: Client {
        get { request.client }
        set { request.client = newValue }
    }
}

extension BackchannelAuthenticationResponse: SentByClient {
    var client: Client {
        get { request.client }
        set { request.client = newValue }
    }
}
