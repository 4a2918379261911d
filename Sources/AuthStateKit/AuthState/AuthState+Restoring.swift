public import AuthStateOAuth
import AuthStateStorage

extension AuthState {
    /// Reads a stored state.
    ///
    /// Where other programs can write the store, the stored state decides neither which secret is read nor where it is
    /// sent. There, give the client's credential in place of the stored one, bound to its provider, for example
    /// `.environment("SECRET").restricted(to: .issuer("https://op.example"))`. A request that would send another
    /// credential, or send it elsewhere, throws `.credentialWithheld`.
    ///
    /// - Throws: `AuthStateError`: `.notLoggedIn` when nothing is stored; kind `.store` when it cannot be read.
    public static func restore(at place: Place, credential: ClientCredential? = nil) async throws -> AuthState {
        try await place.restored { _ in credential }
    }

    /// Reads a stored state, or logs in where there is none to continue with.
    ///
    /// The login is made when nothing is stored or the user is logged out, when the stored state is in error or has
    /// expired without a means of renewal, when it belongs to another client or provider than the login, and when one
    /// of the two is a program's own and the other a user's. A stored
    /// state that cannot be read is not replaced: the error is thrown. The scopes of a stored login are not compared.
    ///
    /// The login's client gives the stored state its credential too; one without a credential leaves a stored state its own.
    /// A login without a user gives it its key or assertion.
    ///
    /// - Parameters:
    ///   - login: The way to log in, and the client that a stored state must belong to.
    ///   - place: The place where the state is kept.
    ///   - annotations: Kept with the state after a login, see `Record.annotations`.
    /// - Throws: As `restore` and `logIn` do, but for `.notLoggedIn`.
    public static func restoreOrLogIn(
        _ login: Login, at place: Place, annotations: [String: String] = [:]
    ) async throws -> AuthState {
        do {
            let state = try await place.restored(grant: login.machineGrant) { _ in login.ownCredential }
            if login.couldHaveMade(state.record), state.hasTokens { return state }
        } catch AuthStateError.Code.notLoggedIn {}
        return try await logIn(login, at: place, annotations: annotations)
    }

    /// Whether there are fresh tokens, or a means to get some, and no error.
    private nonisolated var hasTokens: Bool { status.canRenew || tokensIfFresh() != nil }
}

extension AuthState.Place {
    /// Reads a stored state; the caller may replace its parts with equal ones that other states already have.
    ///
    /// - Parameters:
    ///   - grant: The program's own grant, whose key or assertion takes the place of the stored one.
    ///   - credential: Returns the program's credential for the client of the record, nil for the stored one.
    package func restored(
        grant: AuthState.MachineGrant? = nil, sharing: (AuthState.Record) -> AuthState.Record = { $0 },
        credential: (AuthState.Record) -> ClientCredential?
    ) async throws -> AuthState {
        // The watch first: what changes from here on is noticed.
        let freshness = environment.freshness(await store.watch(key))
        let location = store.location(of: key)
        guard let stored = try await StoreReading.$isFirst.withValue(true, operation: { try await store.load(key) })
        else {
            throw AuthStateError.noUserIsLoggedIn.received("nothing in \(location)")
        }
        var record: AuthState.Record
        do { record = try environment.record(of: stored) } catch let error as AuthStateError {
            throw error.received([error.received, "in \(location)"].compactMap(\.self).joined(separator: " "))
        }
        let given = credential(record)
        if given != nil || grant != nil {
            record = try environment.record(of: stored, credential: given, grant: grant)
        }
        if record.isForgettable {
            throw AuthStateError.noUserIsLoggedIn.received("the note that a logout left in \(location)")
        }
        return AuthState(
            sharing(record), in: environment, key: key, storedVersion: stored.version, freshness: freshness)
    }
}

extension AuthState.Record {
    /// Whether the state is one of the client: of its identifier, at its provider.
    func isOf(_ other: Client) -> Bool {
        guard client.id.isExactly(other.id) else { return false }
        let (ours, theirs) = (client.provider, other.provider)
        guard let issuer = ours.issuer, let other = theirs.issuer else {
            return ours.tokenEndpoint == theirs.tokenEndpoint
        }
        return issuer == other
    }
}

extension AuthStateError {
    package static let noUserIsLoggedIn = AuthStateError(
        .notLoggedIn, stage: .store, "No user is logged in.", hint: "Log in first.")

    /// Returns the error with what was found.
    fileprivate func received(_ text: String) -> Self {
        var copy = self
        copy.received = text
        return copy
    }
}
