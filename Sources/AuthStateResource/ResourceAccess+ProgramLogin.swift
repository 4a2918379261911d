import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer

extension ResourceAccess {
    /// Logs in without a page, in the client's own name or by an assertion, and keeps the result.
    func logInProgram(by plan: Plan) async throws {
        let scopes = plan.scopes.filter { $0 != .offlineAccess }
        let login = try programLogin(by: plan, scopes)
        var (record, event) = try await login.grant(at: place)
        var granted: String?
        if case .loggedIn(_, let tokens, _) = event {
            granted = tokens.scope
            try? await state?.reload()
            do { try checkLogout(since: plan.grantID) } catch {
                await service.giveBack(tokens, of: record.client)
                throw error
            }
        }
        record.annotations = annotations(granted: granted, of: scopes)
        let next = await place.state(record, event)
        state = next
        try await bind(record.client)
    }

    /// The login of a plan without a page.
    ///
    /// - Throws: `AuthStateError` with `.clientIssuerMismatch` when the assertion is for another server, `.unsupported` when
    ///   the client cannot log in in its own name.
    private func programLogin(by plan: Plan, _ scopes: [Scope]) throws -> AuthState.Login {
        guard case .ready(let id, let credential) = plan.choice else {
            throw AuthStateError(
                .unsupported, stage: .authorization, "A client that registers itself needs a login of a user.",
                expected: "a known client, or one with a document", hint: "Register a client by hand.")
        }
        let client = Client(plan.provider, id: id, credential: credential)
        if case .assertion(let assertion, let issuer) = login.way {
            let own = plan.provider.issuer?.rawValue ?? ""
            guard TrustCheck.assertionIssuer.holds(issuer.map { plan.provider.issuer?.isServer($0) == true } ?? true)
            else {
                throw AuthStateError(
                    .clientIssuerMismatch, stage: .authorization,
                    "The assertion is for another authorization server than the resource names.",
                    expected: issuer, received: own, hint: "Give an assertion that is signed for this server.")
            }
            return .assertion(assertion, client, scopes: scopes, resources: plan.resources, dpopKey: plan.dpopKey)
        }
        if case .signedAssertion(let subject) = login.way, credential.method == .privateKeyJWT {
            let grant = JWTBearerGrant(
                issuer: id, subject: subject ?? id, key: credential, scopes: scopes, resources: plan.resources)
            return .jwtBearer(grant, at: plan.provider, dpopKey: plan.dpopKey)
        }
        guard credential.isProof, case .clientCredentials = login.way else {
            throw AuthStateError(
                .unsupported, stage: .authorization, "A login without a user needs a client with a credential.",
                expected: "a known client, or one with a document and a private key",
                hint: "Give the client's credential.")
        }
        return .clientCredentials(client, scopes: scopes, resources: plan.resources, dpopKey: plan.dpopKey)
    }
}
