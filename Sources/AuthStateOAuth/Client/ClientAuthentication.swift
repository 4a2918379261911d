import AuthStateJOSE

/// A client's proof for one request, its secret at hand.
public struct ClientAuthentication: Sendable, Hashable {
    /// The client's identifier.
    public let clientID: String
    /// How it proves who it is.
    public let method: ClientAuthenticationMethod
    private let secret: String?

    /// A public client.
    public static func none(clientID: String) -> Self { Self(clientID: clientID, method: .none, secret: nil) }

    /// A client with a secret.
    ///
    /// - Throws: `AuthStateError` with `.unsupported` for a method that is not based on sending the secret.
    public static func secret(_ secret: String, clientID: String, method: ClientAuthenticationMethod) throws -> Self {
        guard method == .clientSecretBasic || method == .clientSecretPost else {
            throw AuthStateError(
                .unsupported, stage: .token, "This client authentication method cannot be used with a secret.",
                expected: "client_secret_basic or client_secret_post", received: method.rawValue
            )
        }
        return Self(clientID: clientID, method: method, secret: secret)
    }

    /// The method to use when none was chosen: what the metadata allows, Basic before post (the default of the
    /// specification when the metadata say nothing).
    public static func preferredMethod(_ metadata: ProviderMetadata?) -> ClientAuthenticationMethod {
        guard let listed = metadata?.tokenEndpointAuthMethodsSupported else { return .clientSecretBasic }
        return listed.contains("client_secret_basic") || !listed.contains("client_secret_post")
            ? .clientSecretBasic : .clientSecretPost
    }

    /// Adds the proof to a form and its headers.
    func apply(to form: inout Parameters, headers: inout TransportHeaders) {
        switch (method, secret) {
        case (.clientSecretBasic, let secret?):
            let pair = "\(PercentEncoding.form(clientID)):\(PercentEncoding.form(secret))"
            headers["Authorization"] = ["Basic \(Base64.encode(Array(pair.utf8)))"]
        case (_, let secret?):
            form["client_id"] = clientID
            form["client_secret"] = secret
        case (_, nil):
            form["client_id"] = clientID
        }
    }
}

extension ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// Client and method, never the secret.
    public var description: String { "\(clientID) by \(method.rawValue)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
