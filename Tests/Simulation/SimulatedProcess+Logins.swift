import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

extension SimulatedProcess {
    /// A user who logs in by a page.
    func userAgent(_ key: AuthStateKey, as subject: String? = nil) -> SimulatedUserAgent {
        SimulatedUserAgent(process: self, key: key, subject: subject)
    }

    /// The decision that a login is: that of the call in whose task it happens.
    ///
    /// A login that the library itself begins is a decision from its page on.
    func decisionOfLogin(_ key: AuthStateKey) -> Int {
        if let decision = Deciding.decision { return decision }
        let decision = world.oracle(key).decides(number, .login)
        Deciding.reauthorization?.decision = decision
        Deciding.access?.decisions.append(decision)
        return decision
    }

    /// Logs in, and returns a new state with what the login grants.
    func newState(_ key: AuthStateKey, by login: Login) async throws -> AuthState {
        switch login {
        case .page:
            return try await AuthState.logIn(
                .browser(world.request(of: number), userAgent(key)),
                at: AuthState.Place(store, key: key, service: service, options: options))
        case .device:
            return try await AuthState.logIn(
                .device(world.deviceRequest(of: number)) { try await self.confirm($0, key) },
                at: AuthState.Place(store, key: key, service: service, options: options))
        case .machine, .workload:
            return try await AuthState.logIn(
                programLogin(key, isWorkload: login == .workload),
                at: AuthState.Place(store, key: key, service: service, options: options))
        case .redirect: throw AuthStateError(.unsupported, stage: .usage, "An access alone logs in like this.")
        case .registration:
            let request = RegistrationRequest(
                world.configuration, redirectURIs: [try RedirectURI("https://client.example/callback")])
            return try await AuthState.register(
                request, at: AuthState.Place(store, key: key, service: service, options: options))
        }
    }

    /// A user who confirms a login on another device, when the schedule lets them.
    func confirm(_ response: DeviceAuthorizationResponse, _ key: AuthStateKey) async throws {
        guard let device = response.deviceCode.split(separator: "-").last.flatMap({ Int($0) }) else { return }
        if await world.scheduler.park(isCancellable: true) == .cancelled { throw CancellationError() }
        let ticket = Ticket(
            key: key, decision: decisionOfLogin(key), subject: world.provider.newSubject,
            thumbprint: world.proofKey(of: number)?.thumbprint)
        world.provider.confirm(device: device, ticket)
    }

    /// A login without a user: by the client's own credential, or by the assertion of a platform.
    func programLogin(_ key: AuthStateKey, isWorkload: Bool) -> AuthState.Login {
        guard isWorkload else {
            return .clientCredentials(
                Client(world.configuration, id: "client"), additionalParameters: machine(key))
        }
        return .assertion(
            .assertion(environment: World.platformToken), at: world.configuration,
            additionalParameters: machine(key))
    }

    /// The parameters of a client that asks in its own name: each of its logins is a grant that the simulation knows by
    /// number.
    func machine(_ key: AuthStateKey) -> Parameters {
        let ticket = Ticket(key: key, decision: decisionOfLogin(key), subject: "machine", isMachine: true)
        return ["ticket": "ticket-\(world.provider.note(ticket))"]
    }

    /// A login that is a decision: its state counts, and no older one, once it has returned.
    func logIn(_ key: AuthStateKey, by login: Login) async throws -> String {
        let oracle = world.oracle(key)
        let decision = oracle.decides(number, login == .registration ? .registration : .login)
        do {
            let state = try await Deciding.$decision.withValue(decision) { try await holder.logIn(key, by: login) }
            // An access may have joined a login in progress: that one decides.
            if holder is AccessedResource, oracle.decisions[decision].grant == nil {
                oracle.isInDoubt(decision)
                return "joined"
            }
            oracle.decided(decision, isStored: state.status.storeError == nil)
            let record = state.record
            return record.refreshToken ?? record.lastTokenResponse?.accessToken ?? record.client.id
        } catch {
            oracle.isInDoubt(decision)
            throw error
        }
    }

    /// A login whose tokens come from outside.
    func takeTokens(_ key: AuthStateKey) async throws -> String {
        let oracle = world.oracle(key)
        let state = try await holder.state(key)
        let decision = oracle.decides(number, .login)
        let issuedAt = service.configuration.clock.now
        _ = await world.scheduler.park()
        var ticket = Ticket(key: key, decision: decision, subject: world.provider.newSubject)
        ticket.number = world.provider.note(ticket)
        let client = state.record.lastRegistrationResponse.flatMap { $0.clientID.split(separator: "-").last }
        let issued = world.provider.grant(ticket, to: client.flatMap { Int($0) }, at: world.scheduler.now)
        oracle.granted(issued.access.grant, by: decision)
        world.note(0, "the provider grants \(issued.refresh?.token ?? "")")
        let response = TokenResponse(
            accessToken: issued.access.token, issuedAt: issuedAt,
            accessTokenExpirationDate: issuedAt.addingTimeInterval(Double(world.provider.rules.lifetime)),
            refreshToken: issued.refresh?.token, idToken: issued.idToken)
        do { try await state.update(with: response) } catch {
            oracle.decided(decision, isStored: false)
            throw error
        }
        oracle.decided(decision, isStored: true)
        return issued.refresh?.token ?? ""
    }
}

/// The decision that the calls of a task are about; a task that the library makes inherits it.
enum Deciding {
    /// The decision that a login was begun as.
    @TaskLocal static var decision: Int?
    /// A request for which a user may have to log in again.
    @TaskLocal static var reauthorization: Reauthorizing?
    /// A call of an access, which may lead to logins.
    @TaskLocal static var access: AccessCall?
}

/// A request for which a user may have to log in again, and the decision that the login is.
final class Reauthorizing: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    var decision: Int?
}
