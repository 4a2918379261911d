import AuthStateJOSE
import AuthStateOAuth

extension SimulatedProvider {
    /// A client that registered itself, and which of its secrets is the newest.
    struct Client {
        var isAlive = true
        /// The authorization server that it registered at.
        var issuer = World.issuer
        /// The number of the newest registration access token, and of the newest client secret.
        var token = 0, secret = 0
    }

    /// An operation of a request on a registration (RFC 7592).
    enum Management { case read, update, delete }

    /// Registers a client at a server (RFC 7591).
    func register(at issuer: String) -> (client: Int, answer: String) {
        let number = clients.count + 1
        clients[number] = Client(issuer: issuer)
        return (number, registration(of: number))
    }

    /// Reads, changes or deletes a registration; nil when the token is not the newest one.
    func manage(_ token: TokenName, _ management: Management) -> String? {
        let number = token.grant
        guard token.kind == .registration, let client = clients[number], client.isAlive, client.token == token.number
        else { return nil }
        if management == .delete {
            clients[number]?.isAlive = false
            for (grant, value) in grants where value.client == number { end(grant, "its client was deleted") }
            return ""
        }
        if rules.rotatesRegistrations {
            clients[number]?.token += 1
            if management == .update { clients[number]?.secret += 1 }
        }
        let answer = registration(of: number)
        if breakage == .registrationsRotateUnseen { clients[number]?.token += 1 }
        return answer
    }

    /// Forgets the client that registered last.
    ///
    /// - Returns: Its number; nil when none is known.
    func forgetClient() -> Int? {
        let newest = clients.filter(\.value.isAlive).keys.max()
        if let newest {
            clients[newest]?.isAlive = false
            forgotten += 1
        }
        return newest
    }

    /// Whether a client is known, and proves itself with its newest secret.
    func authenticates(_ client: Int, _ secret: TokenName?) -> Bool {
        guard let known = clients[client], known.isAlive else { return false }
        return secret == TokenName(.secret, client, known.secret)
    }

    private func registration(of number: Int) -> String {
        let client = clients[number] ?? Client()
        return JSONValue.object([
            "client_id": .string("client-\(number)"),
            "client_secret": .string(TokenName(.secret, number, client.secret).token), "client_secret_expires_at": 0,
            "registration_access_token": .string(TokenName(.registration, number, client.token).token),
            "registration_client_uri": .string("\(client.issuer)/clients/\(number)"),
            "redirect_uris": ["https://client.example/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "client_secret_basic",
        ]).text
    }
}
