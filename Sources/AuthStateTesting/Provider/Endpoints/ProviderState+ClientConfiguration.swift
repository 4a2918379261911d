import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The client configuration endpoint (RFC 7592, section 2): a registration is read, replaced or deleted.
    mutating func configure(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        // The answer does not reveal whether the client is gone or the token is wrong (section 2.1).
        guard let id = request.parameters["client_id"], let client = configuration.client(id),
            let registration = registrations[id],
            let token = request.bearerToken, ConstantTime.equals(token, registration.token)
        else { throw .bearer("invalid_token", "The registration access token is not known.") }
        switch request.method {
        case .delete:
            remove(client)
            return LoopbackResponse(status: 204, headers: ["Cache-Control": "no-store"])
        case .put: return .json(try update(client, registration, to: metadata(in: request)))
        default:
            let client = renewed(client)
            return .json(information(of: client))
        }
    }

    /// Replaces the registration: members that the client leaves out are deleted (section 2.2).
    private mutating func update(
        _ client: Client, _ registration: Registration, to members: [String: JSONValue]
    ) throws(ProviderRefusal) -> [String: JSONValue] {
        let ours = [
            "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
        ]
        guard !ours.contains(where: { members[$0] != nil }), members["client_id"]?.stringValue == client.id,
            members["client_secret"].map({ $0.stringValue == client.secret }) ?? true
        else {
            throw ProviderRefusal("invalid_client_metadata", "The update names what is not the client's to say.")
        }
        let changed = try self.client(of: members, id: client.id, secret: client.secret)
        registrations[client.id]?.metadata = members.filter { $0.key != "client_id" && $0.key != "client_secret" }
        let client = renewed(changed)
        return information(of: client)
    }

    /// Keeps a client, with another token and another secret where the configuration says so.
    private mutating func renewed(_ client: Client) -> Client {
        var client = client
        if configuration.rotatesRegistrationTokens {
            let token = newToken()
            registrations[client.id]?.token = token
        }
        if configuration.rotatesClientSecrets, client.secret != nil { client.secret = newToken() }
        base.clients.removeAll { $0.id == client.id }
        base.clients.append(client)
        return client
    }

    /// Forgets a client, with its grants and tokens.
    private mutating func remove(_ client: Client) {
        base.clients.removeAll { $0.id == client.id }
        registrations[client.id] = nil
        for (id, grant) in grants where grant.clientID == client.id { revoke(grant: id) }
        accessTokens = accessTokens.filter { $0.value.clientID != client.id }
    }
}
