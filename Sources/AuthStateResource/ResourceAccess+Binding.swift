import AuthStateKit
public import AuthStateOAuth
public import AuthStateStorage

/// The server that a known client belongs to, and the keys under which that is kept.
extension ResourceAccess {
    /// The issuers at which known clients without one of their own were used first, by identifier.
    ///
    /// - Throws: As `binding(of:_:)`.
    func bindings() async throws -> [String: String] {
        var bound: [String: String] = [:]
        for case .known(let id, let credential, nil) in clients.map(\.way) {
            bound[id] = try await binding(of: id, credential)
        }
        return bound
    }

    /// The credential that the program has for a client at its server; nil where it has none.
    func credential(of client: Client, isRegistered: Bool) async throws -> ClientCredential? {
        try await clients.credential(of: client, isRegistered: isRegistered, bound: bindings())
    }

    /// The issuer that a known client without one of its own was used at first; nil when it was not used yet.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when that cannot be read; `.invalidArgument` for a client with a secret in
    ///   a store for one key that has another client's login now: there it would be forgotten.
    private func binding(of id: String, _ credential: ClientCredential) async throws -> String? {
        var hasRoom = true
        do {
            if let kept = try await stored(at: place(of: id)) { return kept.client.provider.issuer?.rawValue }
        } catch let error as AuthStateError where error.isLackOfRoom { hasRoom = false }
        // In a store for one key the login itself remembers the server, also when it has ended.
        let own = if let state { state.record } else { try await stored(at: place) }
        // A server may give the client that registers there any identifier.
        let isReplaced = own?.lastRegistrationResponse != nil || clients.count > 1 && own?.client.id != id
        if own != nil, isReplaced, !hasRoom, credential.isProof {
            throw AuthStateError(
                .invalidArgument, stage: .registration,
                "The client \(id.printable()) has a secret, and the store has another client's login and no room to remember "
                    + "for which server the secret is.",
                expected: "the client's issuer beside it, or a store for several keys",
                hint: "Name the issuer: the resource may name any server.")
        }
        guard own?.client.id == id, own?.lastRegistrationResponse == nil else { return nil }
        return own?.client.provider.issuer?.rawValue
    }

    /// Remembers where a known client without an issuer of its own was used first, beyond the end of its login.
    ///
    /// - Throws: `AuthStateError` of kind `.store` when the client has a secret, and where it belongs cannot be kept.
    func bind(_ client: Client) async throws {
        let isUnbound = clients.contains { if case .known(client.id, _, nil) = $0.way { true } else { false } }
        guard isUnbound else { return }
        do {
            try await place(of: client.id).saveFirst(AuthState.Record(Client(client.provider, id: client.id)))
        } catch let error as AuthStateError where error.isLackOfRoom || !client.credential.isProof {
            // Nothing secret could go elsewhere; the login itself remembers the server.
        }
    }

    /// Returns what is stored, as it is; nil when nothing is.
    func stored(at place: AuthState.Place) async throws -> AuthState.Record? {
        try await place.store.load(place.key).map { try place.record(of: $0) }
    }

    /// Returns the key under which an access keeps its registration at a server, for programs that forget a client.
    public static func registrationKey(_ key: AuthStateKey, at issuer: Issuer) -> AuthStateKey {
        AuthStateKey("\(key) at \(issuer)")
    }

    /// Where the registration at a server is kept.
    func place(of issuer: Issuer) -> AuthState.Place {
        place.at(Self.registrationKey(registrationKey, at: issuer))
    }

    /// Where it is kept at which server a known client is used.
    func place(of client: String) -> AuthState.Place {
        place.at(AuthStateKey("\(registrationKey) by \(client)"))
    }
}

extension AuthStateError {
    /// Whether a store for one key has no room for another one.
    var isLackOfRoom: Bool { code == .invalidArgument && stage == .store }
}
