import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer
import AuthStateStorage
import AuthStateSystem

extension ResourceAccess {
    /// A login's turn to show its page: of the processes that share a store and a key, one at a time has it.
    final class Turn: Sendable {
        private let lease: any AuthStateLease
        /// The version of what is kept for the processes that wait, if anything is, and whether it is a code of this turn's.
        private let kept: Lock<(version: StoredAuthState.Version?, isCode: Bool)>
        /// The error of a login that failed while this one waited.
        let failure: AuthStateError?

        /// - Parameters:
        ///   - stored: What is kept.
        ///   - failure: The error that it is, if it is a new one.
        fileprivate init(_ lease: any AuthStateLease, _ stored: StoredAuthState?, failure: AuthStateError?) {
            (self.lease, self.failure) = (lease, failure)
            kept = Lock((stored?.version, false))
        }

        /// Keeps the error of the login for the processes that wait for it.
        func fail(_ error: AuthStateError, at provider: ProviderConfiguration) async {
            guard error.isForAllProcesses, !Task.isCancelled else { return }
            var record = Self.record(at: provider)
            record.authorizationError = error
            await keep(record, isCode: false)
        }

        /// Keeps what a user needs who confirms the login on another device, for the processes that wait for it.
        func announce(_ response: DeviceAuthorizationResponse, for resource: ResourceIdentifier) async {
            guard let record = try? Self.announcement(of: response, for: resource) else { return }
            await keep(record, isCode: true)
        }

        /// Removes the error of an earlier login, and the code of this one.
        func succeed() async { if kept.withLock({ $0.version }) != nil { await remove() } }

        /// Removes the code of a login that has ended in any other way.
        fileprivate func end() async { if kept.withLock({ $0.isCode }) { await remove() } }

        private func keep(_ record: AuthState.Record, isCode: Bool) async {
            guard let archive = try? AuthStateArchive(record).data(),
                let version = try? await lease.save(archive, expecting: kept.withLock { $0.version })
            else { return }
            kept.withLock { $0 = (version, isCode) }
        }

        private func remove() async {
            let version = kept.withLock { $0.version }
            // Also when the login was cancelled; after a lost lease there may be what the next holder keeps.
            try? await Task { [lease] in try await lease.delete(expecting: version) }.value
            kept.withLock { $0 = (nil, false) }
        }

        /// A record of a login that has ended: no list shows it, and a sweep removes it.
        private static func record(at provider: ProviderConfiguration) -> AuthState.Record {
            AuthState.Record(Client(provider, id: "")).applying(.loggedOut)
        }

        /// The record that has the resource, the user code and its page, and neither the device code nor a secret of the client.
        static func announcement(
            of response: DeviceAuthorizationResponse, for resource: ResourceIdentifier
        ) throws -> AuthState.Record {
            let (request, provider) = (response.request, response.request.client.provider)
            var shown = response
            shown.deviceCode = ""
            shown.request = DeviceAuthorizationRequest(
                Client(provider, id: request.client.id), scopes: request.scopes, resources: request.resources)
            var record = record(at: provider)
            record.annotations[annotation] = String(decoding: try JSONEncoder().encode(shown), as: UTF8.self)
            record.annotations[ResourceAccess.annotation] = resource.rawValue
            return record
        }

        /// The annotation with that.
        static let annotation = "device login"
    }

    /// Runs a body in a turn of its own, and waits for that; without one where a store for one key has no room for turns.
    ///
    /// A process that is killed loses its turn.
    ///
    /// - Throws: `AuthStateError` with `.storeLocked` when the turn has not come after `Options.maximumLoginWait`;
    ///   `CancellationError` when cancelled while waiting; the body's errors.
    func inTurn<R: Sendable>(_ body: @escaping @Sendable (Turn?) async throws -> R) async throws -> R {
        let place = place.at(AuthStateKey("\(place.key) login"))
        // Versions, not times: the processes may be on several machines.
        let seen = try? await place.store.load(place.key)?.version
        let result: Result<R, any Error>
        do { result = try await turn(at: place, since: seen, waiting: .zero, body) } catch let error as AuthStateError {
            if error.isLackOfRoom { return try await body(nil) }
            // A database may fail for want of time where it was given none: only the second attempt says so.
            if error.code == .storeLocked { options.onWaitingForLogin?() }
            do {
                result = try await laterTurn(at: place, since: seen, body)
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

    /// The wait for a turn.
    private final class Wait: Sendable { let isOver = Lock(false) }

    /// Waits for the turn. A login on another device meanwhile shows the code that the one before it shows.
    private func laterTurn<R: Sendable>(
        at place: AuthState.Place, since seen: StoredAuthState.Version?,
        _ body: @escaping @Sendable (Turn?) async throws -> R
    ) async throws -> Result<R, any Error> {
        let limit = options.maximumLoginWait
        guard case .device(let present) = login.way else {
            return try await turn(at: place, since: seen, waiting: limit, body)
        }
        let wait = Wait()
        let code = try await showAnnounced(at: place, unless: nil, during: wait, present)
        return try await withThrowingTaskGroup(of: Result<R, any Error>?.self) { group in
            group.addTask {
                try await self.turn(at: place, since: seen, waiting: limit) { turn in
                    wait.isOver.withLock { $0 = true }
                    return try await body(turn)
                }
            }
            group.addTask {
                var code = code
                do {
                    while true {
                        try await self.service.configuration.clock.waiting.sleep(for: .seconds(1))
                        if wait.isOver.withLock(\.self) { return nil }
                        code = try await self.showAnnounced(at: place, unless: code, during: wait, present)
                    }
                } catch {
                    if wait.isOver.withLock(\.self) { return nil }
                    throw error
                }
            }
            defer { group.cancelAll() }
            // Ends by the turn, or by an error of showing the code.
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    /// Shows the code of another process's login, unless it was shown before, is over, is for another resource, or may be another
    /// program's: a code of an attacker's would give them the user's login.
    ///
    /// - Parameters:
    ///   - code: The code that was shown before.
    ///   - wait: The wait for the turn; its own login shows a code of its own.
    ///   - present: Shows a code.
    /// - Returns: The code that was shown last.
    private func showAnnounced(
        at place: AuthState.Place, unless code: String?, during wait: Wait,
        _ present: @Sendable (DeviceAuthorizationResponse) async throws -> Void
    ) async throws -> String? {
        guard let annotations = try? await stored(at: place)?.annotations,
            let text = annotations[Turn.annotation],
            let response = try? JSONDecoder().decode(DeviceAuthorizationResponse.self, from: Data(text.utf8)),
            TrustCheck.announcedLogin.holds(
                !place.store.mayBeWrittenByOthers && annotations[Self.annotation] == resource.rawValue
                    && isUsed(response.request.client.provider.issuer)), response.isShowable,
            response.userCode != code, response.expiresAt > service.configuration.clock.now,
            !wait.isOver.withLock(\.self)
        else { return code }
        try await present(response)
        return response.userCode
    }

    /// Whether a client of the program may be used at a server: one that is known to another server is not.
    private func isUsed(_ issuer: Issuer?) -> Bool {
        clients.isEmpty
            || clients.contains { client in
                switch client.way {
                case .known(_, _, let own?), .document(_, _, let own?), .registering(_, _, let own?, _):
                    issuer?.isServer(own) == true
                default: true
                }
            }
    }

    /// Runs a body under the lease of a place.
    ///
    /// - Returns: The outcome of the body, whose errors are not those of the lease.
    private func turn<R: Sendable>(
        at place: AuthState.Place, since seen: StoredAuthState.Version?, waiting deadline: Duration,
        _ body: @escaping @Sendable (Turn?) async throws -> R
    ) async throws -> Result<R, any Error> {
        try await place.store.withLease(place.key, deadline: deadline) { lease in
            var kept = try? await lease.load()
            let record = kept.flatMap { try? place.record(of: $0) }
            if record?.annotations[Turn.annotation] != nil {
                // The process of this code has been killed.
                try? await lease.discard()
                kept = nil
            }
            let failure = kept?.version == seen ? nil : record?.authorizationError
            let turn = Turn(lease, kept, failure: failure)
            let result: Result<R, any Error>
            do { result = .success(try await body(turn)) } catch { result = .failure(error) }
            await turn.end()
            return result
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
