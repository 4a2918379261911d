import AuthStateKit
import AuthStateOAuth
import AuthStateSystem

extension AuthSessionCore {
    /// A login in progress.
    struct Login {
        let number: Int
        let way: Way
        let shared: SharedLogin<AuthUser>
        /// Whether its result is being saved: it can no longer be cancelled.
        var isKeeping = false
    }

    /// The way in which a user logs in; equal ones at the same time share one login.
    enum Way: Sendable, Hashable {
        /// In the browser.
        case browser(prompt: [AuthorizationRequest.Prompt]?, loginHint: String?, additionalParameters: Parameters)
        /// With the answer that the browser has brought back.
        case answer(PendingAuthorization, AuthorizationCallback)
    }

    /// Ends every caller's wait for the login; a login that is being saved ends by itself.
    func giveUpLogin() {
        login?.shared.giveUp(AuthStateError.givenUp)
        drop(login?.number)
    }

    /// Joins the login in progress, or begins one.
    func logIn(_ way: Way) async throws -> AuthUser {
        // A user who came back without the provider's answer waits for it no longer.
        if logout?.isInBrowser == true { logout?.task.cancel() }
        while let logout { try await logout.end.value() }
        try Task.checkCancellation()
        let login = if let login = try joined(way) { login } else { start(way) }
        do { return try await login.shared.value() } catch {
            if login.shared.isOver { drop(login.number) }
            throw error
        }
    }

    /// Returns the login in progress, if it is the same; nil when there is none.
    private func joined(_ way: Way) throws -> Login? {
        guard let login else { return nil }
        guard login.way == way, !login.shared.isOver else {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "Another login is in progress.",
                hint: "Wait for its end, or cancel it.")
        }
        return login
    }

    private func start(_ way: Way) -> Login {
        loginCount += 1
        let number = loginCount
        let shared = SharedLogin { [self] in
            do {
                let user = try await perform(way, number)
                await ended(number, nil)
                return user
            } catch {
                await ended(number, error)
                throw error
            }
        }
        let login = Login(number: number, way: way, shared: shared)
        self.login = login
        apply(.began(.signingIn))
        return login
    }

    /// Forgets a login that no caller waits for, unless it is being saved.
    private func drop(_ number: Int?) {
        if login?.isKeeping == false { ended(number, nil) }
    }

    private func ended(_ number: Int?, _ error: (any Error)?) {
        guard login?.number == number else { return }
        login = nil
        apply(.ended(.signingIn, error.flatMap { AuthStateError(toShow: $0, stage: .authorization) }))
    }

    /// Performs the login: nothing is kept before everything is checked.
    private func perform(_ way: Way, _ number: Int) async throws -> AuthUser {
        let place = AuthState.Place(store, key: key, service: service, options: options)
        try await place.tryStore()
        let (response, tokens) = try await grant(way)
        var record = AuthState.Record(response.request.client)
        record.annotations = configuration.annotations
        let granted = record.applying(.loggedIn(response, tokens))
        let info: UserInfo?
        do {
            info = try await userInfo(of: granted)
            try Task.checkCancellation()
            guard login?.number == number else { throw CancellationError() }
        } catch {
            await service.giveBack(tokens, of: record.client)
            throw error
        }
        record.keep(info)
        login?.isKeeping = true
        return follow(await place.state(record, .loggedIn(response, tokens)), info)
    }

    private func grant(_ way: Way) async throws -> (AuthorizationResponse, TokenResponse) {
        switch way {
        case .browser(let prompt, let loginHint, let additionalParameters):
            var request = try await configuration.request(service)
            if let prompt { request.prompt = prompt }
            if let loginHint { request.loginHint = loginHint }
            request.additionalParameters.merge(additionalParameters)
            request.client.credential = configuration.client.boundCredential
            return try await service.authorize(request, presenting: userAgent)
        case .answer(var pending, let callback):
            try configuration.client.check(pending.client)
            pending.client.credential = configuration.client.boundCredential
            return try await service.complete(pending, callback: callback)
        }
    }

    /// Returns the userinfo of a grant that is not kept yet; nil when it is unavailable.
    ///
    /// - Throws: `AuthStateError` for an answer about another subject, or with a signature that is not the provider's.
    private func userInfo(of record: AuthState.Record) async throws -> UserInfo? {
        guard configuration.readsUserInfo, record.client.provider.userInfoEndpoint != nil,
            let tokens = Tokens(of: record, options: options, service: service)
        else { return nil }
        let (service, options) = (service, configuration.userInfoOptions)
        do {
            return try await withDeadline(configuration.userInfoDeadline, clock: service.configuration.clock.waiting) {
                try await service.userInfo(tokens, of: record.client, options: options)
            }
        } catch let error as CancellationError {
            throw error
        } catch let error as AuthStateError where error.isForgery {
            throw error
        } catch {
            return nil
        }
    }
}

extension AuthStateError {
    /// Whether an answer of the userinfo endpoint is not the provider's, or is about another subject.
    fileprivate var isForgery: Bool {
        [.subjectMismatch, .invalidUserInfo, .invalidSignature].contains(code)
    }

    /// Makes the error to show a user; nil for a cancellation by the user or the program.
    init?(toShow error: any Error, stage: Stage) {
        if error is CancellationError { return nil }
        let error = AuthStateError(wrapping: error, stage: stage)
        guard error.kind != .cancelled else { return nil }
        self = error
    }
}
