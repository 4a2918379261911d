import AuthStateKit
import Foundation

/// A program that logs a user in: a client at a provider, with a browser and a store of its own.
struct Flow: Sendable {
    let provider: ProviderProcess
    let transport: CountingTransport
    let service: AuthorizationService
    let browser: LoginBrowser
    var issuer: String
    var clientID = "public"
    var credential = ClientCredential.none
    var scopes: [Scope] = [.openID, .profile, .email, "offline_access"]
    var tolerances: Set<Tolerance> = []
    var responseType = AuthorizationRequest.ResponseType.code
    var responseMode: AuthorizationRequest.ResponseMode?
    var dpopKey: DPoPKey?
    var store: any AuthStateStore = InMemoryAuthStateStore()

    init(_ provider: Provider) throws { try self.init(provider.process) }

    init(_ provider: ProviderProcess) throws {
        try self.init(provider, transport: SystemTransport(certificateAuthorityFile: provider.certificateAuthorityFile))
    }

    /// With a transport of its own, for example one that shows a certificate.
    init(_ provider: ProviderProcess, transport: any HTTPTransport) throws {
        self.provider = provider
        issuer = provider.issuer
        self.transport = CountingTransport(transport)
        service = AuthorizationService(transport: self.transport)
        browser = try LoginBrowser()
    }

    /// The same with another client.
    func client(_ clientID: String, _ credential: ClientCredential = .none) -> Flow {
        var copy = self
        copy.clientID = clientID
        copy.credential = credential
        return copy
    }

    /// The same with another kind of answer.
    func answering(
        _ type: AuthorizationRequest.ResponseType = .code, by mode: AuthorizationRequest.ResponseMode? = nil
    ) -> Flow {
        var copy = self
        (copy.responseType, copy.responseMode) = (type, mode)
        return copy
    }

    /// The provider's endpoints.
    func configuration() async throws -> ProviderConfiguration {
        var configuration = try await service.discoverConfiguration(issuer: issuer)
        configuration.tolerances = tolerances
        return configuration
    }

    /// A request of this client.
    func request() async throws -> AuthorizationRequest {
        var request = AuthorizationRequest(
            Client(try await configuration(), id: clientID), scopes: scopes,
            redirectURI: try RedirectURI(provider.redirectURI))
        request.responseType = responseType
        request.responseMode = responseMode
        request.dpopKey = dpopKey
        return request
    }

    /// Takes the user through a login.
    func logIn(_ decision: LoginBrowser.Decision = .accept) async throws -> AuthState {
        try await AuthState.logIn(
            .browser((try await request()).with(credential), browser.userAgent(decision)),
            at: AuthState.Place(store, service: service))
    }

    /// Takes the user to the provider and back, and leaves the rest to the caller.
    func callback() async throws -> (AuthorizationRequest, AuthorizationCallback) {
        var request = try await request()
        let session = try await browser.userAgent().prepare(redirectURI: request.redirectURI, for: .login)
        request.redirectURI = session.redirectURI
        do {
            let callback = try await session.present(service.begin(request).url)
            await session.finish(.completed)
            return (request, callback)
        } catch {
            await session.finish(.cancelled)
            throw error
        }
    }

    /// Another program that holds the same state as it is now, in memory.
    func copy(of state: AuthState) -> AuthState {
        AuthState(state.record, service: service, store: InMemoryAuthStateStore())
    }

    func tokenRequests() async throws -> Int {
        await transport.count(of: try await configuration().tokenEndpoint.absoluteString)
    }
}

extension AuthStateStore {
    /// The login that is stored; nil when there is none, also after a logout, which leaves a state without a grant.
    func login(_ key: AuthStateKey = .default) async throws -> AuthState.Record? {
        let record = try await load(key).map { try AuthStateArchive(data: $0.archive).record }
        return record?.isLoggedOut == true ? nil : record
    }
}
