@testable import AuthStateOAuth

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
