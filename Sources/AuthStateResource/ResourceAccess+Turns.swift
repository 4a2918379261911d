import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import AuthStateStorage
import AuthStateSystem

extension ResourceAccess {
    /// A login's turn to show its page: of the processes that share a store and a key, one at a time has it.
    struct Turn {
        fileprivate let lease: any AuthStateLease
        /// The record of the last login, if it failed.
        fileprivate let failed: StoredAuthState?
        /// The error of a login that failed while this one waited.
        let failure: AuthStateError?

        /// Keeps the error of the login for the processes that wait for it.
        ///
        /// The record is that of a login that has ended: no list shows it, and a sweep removes it.
        func fail(_ error: AuthStateError, at provider: ProviderConfiguration) async {
            guard error.isForAllProcesses, !Task.isCancelled else { return }
            var record = AuthState.Record(Client(provider, id: "")).applying(.loggedOut)
            record.authorizationError = error
            guard let archive = try? AuthStateArchive(record).data() else { return }
            _ = try? await lease.save(archive, expecting: failed?.version)
        }

        /// Removes the error of an earlier login.
        func succeed() async { if failed != nil { try? await lease.discard() } }
    }

    /// Runs a body in a turn of its own, and waits for that; without one where a store for one key has no room for turns.
    ///
    /// A process that is killed loses its turn.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked` when the turn has not come after `Options.maximumLoginWait`;
    ///   `CancellationError` when cancelled while waiting; the body's errors.
    func inTurn<R>(_ body: nonisolated(nonsending) (Turn?) async throws -> R) async throws -> R {
        let place = place.at(AuthStateKey("\(place.key) login"))
        // Versions, not times: the processes may be on several machines.
        let seen = try? await place.store.load(place.key)?.version
        let result: Result<R, any Error>
        do { result = try await turn(at: place, since: seen, waiting: .zero, body) } catch let error as AuthStateError {
            if error.isLackOfRoom { return try await body(nil) }
            // A database may fail for want of time where it was given none: only the second attempt says so.
            if error.code == .storeLocked { options.onWaitingForLogin?() }
            do {
                result = try await turn(at: place, since: seen, waiting: options.maximumLoginWait, body)
            } catch AuthStateError.Code.storeLocked {
                throw AuthStateError(
                    .storeLocked, stage: .authorization, "Another process has not finished its login for \(resource).",
                    expected: "a login within \(options.maximumLoginWait.components.seconds) s",
                    hint:
                        "Finish the login in the page that the other process shows, or end that process; then try again."
                )
            }
        }
        return try result.get()
    }

    /// Runs a body under the lease of a place.
    ///
    /// - Returns: The outcome of the body, whose errors are not those of the lease.
    private func turn<R>(
        at place: AuthState.Place, since seen: StoredAuthState.Version?, waiting deadline: Duration,
        _ body: nonisolated(nonsending) (Turn?) async throws -> R
    ) async throws -> Result<R, any Error> {
        try await place.store.withLease(place.key, deadline: deadline) { lease in
            let failed = try? await lease.load()
            let record = failed?.version == seen ? nil : failed.flatMap { try? place.record(of: $0) }
            let turn = Turn(lease: lease, failed: failed, failure: record?.authorizationError)
            do { return .success(try await body(turn)) } catch { return .failure(error) }
        }
    }
}

extension AuthStateError {
    /// Whether a failed login is one for the processes that wait for it too: one that the user or the server ended, and not a
    /// lack of the process that made it.
    fileprivate var isForAllProcesses: Bool {
        let own: Set<Code> = [
            .browserUnavailable, .portInUse, .credentialUnavailable, .credentialWithheld, .libraryUnavailable,
        ]
        return [.authorization, .token].contains(stage) && kind != .store && !own.contains(code)
    }
}
