import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

extension AuthState.Environment {
    /// Decodes a stored state. Where other programs can write the store, the stored state decides neither which secret
    /// is read nor where one is sent.
    ///
    /// - Parameters:
    ///   - credential: The program's credential, in place of the one that the stored state refers to.
    ///   - grant: The program's own grant, whose key or assertion takes the place of that of a stored grant of the same party.
    /// - Throws: As `AuthStateArchive(data:)` does.
    func record(
        of stored: StoredAuthState, credential: ClientCredential? = nil, grant: AuthState.MachineGrant? = nil
    ) throws -> AuthState.Record {
        var record = try AuthStateArchive(data: stored.archive).record
        if store.mayBeWrittenByOthers { record = record.distrusted(allowing: options.allowedCredentials) }
        if let credential { record = record.with(credential, in: self) }
        if let grant, let proof = grant.proof, record.machineGrant?.isOfSameParty(as: grant) == true {
            record.machineGrant?.proof = store.mayBeWrittenByOthers ? proof.unvouched : proof
        }
        return record
    }

    /// Returns the program's own record of a client. Where other programs can write the store, its credentials are
    /// bound to its provider.
    func vouched(_ record: AuthState.Record) -> AuthState.Record {
        guard store.mayBeWrittenByOthers else { return record }
        var copy = record
        let provider = NamedProvider.configuration(record.client.provider)
        func bind(_ credential: inout ClientCredential) {
            if credential.custody == .request { credential = credential.restricted(to: provider) }
        }
        bind(&copy.client.credential)
        if var proof = copy.machineGrant?.proof {
            bind(&proof)
            copy.machineGrant?.proof = proof
        }
        return copy
    }
}

extension AuthState.Record {
    /// Notes the environment variables that this state names: the client's credential, and the keys that sign for it.
    func noteSecretVariables() {
        let signing = spentAuthorization?.response.request.signingCredential
        for credential in [client.credential, machineGrant?.proof, signing] { credential.map(SecretVariables.note) }
        if case .environment(let name) = dpopKey?.source { SecretVariables.note(name) }
    }

    /// Returns the record of a store that other programs can write: the secrets and keys that it names are withheld
    /// unless the program allows them.
    fileprivate func distrusted(allowing allowed: [ClientCredential]) -> Self {
        var copy = self
        copy.client.credential = client.credential.distrusted(allowing: allowed)
        copy.machineGrant?.proof = machineGrant?.proof?.distrusted(allowing: allowed)
        if var response = spentAuthorization?.response, let credential = response.request.signingCredential {
            response.request.signingCredential = credential.distrusted(allowing: allowed)
            copy.lastAuthorizationResponse = response
        }
        return copy
    }

    /// Returns the record with a credential of this process in place of the stored one.
    fileprivate func with(_ credential: ClientCredential, in environment: AuthState.Environment) -> Self {
        var copy = self
        let mayBeWritten = environment.store.mayBeWrittenByOthers
        copy.client.credential = mayBeWritten ? credential.unvouched : credential
        // A key that the program vouches for is also allowed for the grant that signs with it.
        if mayBeWritten, let proof = machineGrant?.proof, proof.custody == .unnamed {
            copy.machineGrant?.proof = proof.distrusted(allowing: [credential])
        }
        return copy
    }
}
