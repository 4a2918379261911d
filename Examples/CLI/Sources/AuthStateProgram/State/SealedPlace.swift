import AuthStateKit

/// The store of a login as it is sealed, or is going to be.
struct SealedPlace: Sendable {
    let store: any AuthStateStore
    /// The seal of what is saved; nil for none.
    let seal: Seal?
    /// Whether the user chose a login that is not sealed.
    let isUnsealedByChoice: Bool

    /// Opens a login as it is stored.
    ///
    /// - Throws: `AuthStateError` with `.storeUnreadable` when its key cannot be read.
    static func existing(_ file: FileAuthStateStore, _ key: AuthStateKey, _ keys: SealingKeys) async throws -> Self {
        guard let seal = await seal(of: file, key) else { return Self(store: file, seal: nil) }
        return try Self(file, seal, try await keys.existing(of: seal))
    }

    /// Opens a place for a new login: sealed as the stored one, else as the user chooses, else by the keyring where there
    /// is one.
    ///
    /// - Throws: `AuthStateError`: `.storeUnreadable` when the key of a stored login cannot be read, `.invalidArgument` when
    ///   the choice is another seal than the stored login's, and the errors of the keys.
    static func new(
        _ file: FileAuthStateStore, _ key: AuthStateKey, _ keys: SealingKeys, choice: SealOptions.Choice?,
        console: Console
    ) async throws -> Self {
        if let stored = await seal(of: file, key) {
            if let choice, choice != .seal(stored) { throw otherSeal(stored) }
            return try await existing(file, key, keys)
        }
        let place: Self
        if case .seal(let chosen) = choice {
            place = try Self(file, chosen, try await keys.forSealing(with: chosen))
        } else {
            let wasChosen = await isUnsealedByChoice(file, key)
            guard choice == nil, !wasChosen, let found = await keyringKeys(keys, console) else {
                return Self(store: file, seal: nil, isUnsealedByChoice: choice != nil || wasChosen)
            }
            place = try Self(file, .secretService, found)
        }
        if let seal = place.seal { console.note("The login is sealed with \(seal.title); with --seal none it is not.") }
        return place
    }

    private init(store: any AuthStateStore, seal: Seal?, isUnsealedByChoice: Bool = false) {
        (self.store, self.seal, self.isUnsealedByChoice) = (store, seal, isUnsealedByChoice)
    }

    /// Seals a file; a login that is not sealed yet is read too, and sealed at its next save.
    private init(_ file: FileAuthStateStore, _ seal: Seal, _ keys: [SealingKey]) throws {
        self.init(store: try SealedAuthStateStore(file, keys: keys, opensUnsealed: true), seal: seal)
    }

    /// The seal of a stored login; nil for one that is not sealed, and where a later read reports what is wrong.
    static func seal(of file: FileAuthStateStore, _ key: AuthStateKey) async -> Seal? {
        guard let stored = try? await file.load(key) else { return nil }
        return SealedAuthStateStore.sealingKeyID(of: stored.archive).flatMap(Seal.init)
    }

    private static func isUnsealedByChoice(_ file: FileAuthStateStore, _ key: AuthStateKey) async -> Bool {
        guard let stored = try? await file.load(key),
            let record = try? AuthStateArchive(data: stored.archive).record, !record.isForgettable
        else { return false }
        return Settings(annotations: record.annotations).isUnsealedByChoice
    }

    /// Returns the keyring's keys; nil where there is no keyring, or none that can be used without a choice of the user.
    private static func keyringKeys(_ keys: SealingKeys, _ console: Console) async -> [SealingKey]? {
        #if os(Linux)
            guard await SealingKey.isSecretServiceAvailable() else { return nil }
            do { return try await keys.forSealing(with: .secretService) } catch let error as AuthStateError {
                console.note("The login is not sealed: \(error.message)")
            } catch {}
        #endif
        return nil
    }

    private static func otherSeal(_ stored: Seal) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The stored login is sealed otherwise.", expected: "--seal \(stored.name)",
            hint: "Leave --seal out, or end the login with 'authstate logout' first.")
    }
}
