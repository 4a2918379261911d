package import AuthStateOAuth

extension AuthState {
    /// Logs a user in, or gets a program tokens of its own, and keeps the result.
    ///
    /// Checks that the store can be written before anything is asked for, so that no login is lost to an unwritable
    /// store. When the last save fails all the same, the state is returned with the reason in `status.storeError`;
    /// `save()` tries again.
    ///
    /// - Parameters:
    ///   - login: The way: with a browser, on another device, with a key, and so on.
    ///   - place: Where the state is kept.
    ///   - annotations: Kept with the state, see `Record.annotations`.
    /// - Throws: `AuthStateError` of the stage that failed, kind `.store` before it; `CancellationError`. What was
    ///   stored before is then unchanged.
    public static func logIn(
        _ login: Login, at place: Place, annotations: [String: String] = [:]
    ) async throws -> AuthState {
        try await place.tryStore()
        var (record, event) = try await login.grant(at: place)
        record.annotations = annotations
        return await place.state(record, event)
    }

    /// A way to log in, see `AuthState.logIn(_:at:annotations:)` and `AuthStatePool.logIn(_:for:annotations:)`.
    public struct Login: Sendable {
        /// The client that logs in.
        enum Party: Sendable {
            case client(Client)
            /// One whose provider is asked for its endpoints first.
            case named(NamedClient)
        }

        private var party: Party
        /// What the program gets tokens with in its own name; nil for the login of a user.
        private(set) var machineGrant: MachineGrant?
        /// Obtains the grant: the record of the client, and the event that the login is.
        private let obtain: @Sendable (Client, Place) async throws -> (Record, Event)

        /// A login whose request names the client, which may still be changed.
        init<Request: Sendable>(
            _ request: Request, _ path: any WritableKeyPath<Request, Client> & Sendable,
            grant: @escaping @Sendable (Request, Place) async throws -> (Record, Event)
        ) {
            party = .client(request[keyPath: path])
            obtain = { client, place in
                var request = request
                request[keyPath: path] = client
                return try await grant(request, place)
            }
        }

        /// A login of a named client, whose request is made when the provider's endpoints are known.
        init(
            _ client: NamedClient, grant: @escaping @Sendable (Client, Place) async throws -> (Record, Event)
        ) {
            (party, obtain) = (.named(client), grant)
        }

        init(_ machineGrant: MachineGrant, _ party: Party, _ dpopKey: DPoPKey?) {
            (self.party, self.machineGrant) = (party, machineGrant)
            obtain = { client, place in
                var record = Record(client)
                record.dpopKey = dpopKey
                record.machineGrant = machineGrant
                var request = machineGrant.request(of: client)
                request.dpopKey = dpopKey
                let tokens = try await place.service.perform(request).answering(request)
                return (record, .loggedIn(nil, tokens, requestedScope: machineGrant.scopes.requested))
            }
        }
    }
}

extension AuthState.Login {
    package func grant(at place: AuthState.Place) async throws -> (AuthState.Record, AuthState.Event) {
        switch party {
        case .client(let client): try await obtain(client, place)
        case .named(let named): try await obtain(place.service.client(named), place)
        }
    }

    /// The client's own credential; nil when it has none.
    var ownCredential: ClientCredential? {
        switch party {
        case .client(let client): client.ownCredential
        case .named(let named): named.ownCredential
        }
    }

    /// Returns the login with the credential given where its client has none of its own.
    package func fallingBack(on credential: ClientCredential?) -> Self {
        guard let credential, ownCredential == nil else { return self }
        var copy = self
        switch party {
        case .client(let client): copy.party = .client(client.fallingBack(on: credential))
        case .named(var named):
            named.credential = credential
            copy.party = .named(named)
        }
        return copy
    }

    /// Whether a stored state can be one of such a login: of its client, of a user, or of the same program.
    func couldHaveMade(_ record: AuthState.Record) -> Bool {
        let isOurs =
            switch party {
            case .client(let client): record.isOf(client)
            case .named(let named): (try? named.check(record.client)) != nil
            }
        guard let machineGrant, let stored = record.machineGrant else {
            return isOurs && machineGrant == nil && record.machineGrant == nil
        }
        return isOurs && machineGrant.isOfSameParty(as: stored)
    }
}
