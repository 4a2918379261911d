import AuthStateKit
import AuthStateTesting
import Foundation

/// A provider that rotates refresh tokens and detects reuse, and a user who is logged in there.
struct World {
    let provider: OpenIDProvider
    let file: String
    let kind: StoreKind
    private let folder: TemporaryFolder

    /// Starts a provider and logs in.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime of access tokens, in seconds.
    ///   - grace: The seconds for which the provider takes a spent refresh token again.
    ///   - kind: The store that keeps the state.
    ///   - place: The folder of the state; nil is one that is removed in the end.
    init(
        lifetime: Double, grace: Double = 0, kind: StoreKind = .file, place: String? = nil,
        configure: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = OpenIDProvider.Configuration()
        configuration.accessTokenLifetime = .seconds(lifetime)
        configuration.refreshTokenGrace = .seconds(grace)
        configure(&configuration)
        provider = try await OpenIDProvider(configuration: configuration)
        folder = try TemporaryFolder()
        self.kind = kind
        file = "\(place ?? folder.path)/\(kind.name)"
        try await logIn()
    }

    /// A file beside the state.
    func path(_ name: String) -> String { folder(name) }

    /// Logs in, over whatever was there.
    @discardableResult
    func logIn() async throws -> AuthState {
        let service = AuthorizationService()
        let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
        let state = try await AuthState.logIn(
            .browser(
                AuthorizationRequest(Client(configuration, id: "app"), scopes: [.openID, .profile]), DirectUserAgent()),
            at: AuthState.Place(kind.store(file), service: service))
        if let end = state.record.accessTokenExpirationDate, end.timeIntervalSinceNow < 0.1 {
            try await expire(state)
        }
        return state
    }

    /// Waits until the access token is over.
    ///
    /// That the state has no tokens that it calls fresh does not say so: it also looks at the file anew when the file has
    /// changed. And Linux tells the time in steps of some milliseconds, so that the token may outlive its own one.
    func expire(_ state: AuthState) async throws {
        guard let end = state.record.accessTokenExpirationDate else { return }
        try await eventually("the access token expires") { end.timeIntervalSinceNow < -0.02 ? true : nil }
    }

    /// Reads the state as a process that starts now.
    func restore(_ options: AuthState.Options = .init(), without protection: Protection? = nil) async throws
        -> AuthState
    {
        var configuration = AuthorizationService.Configuration()
        configuration.requestTimeout = .seconds(2)
        return try await AuthState.restore(
            at: AuthState.Place(
                UnprotectedStore(try kind.store(file), without: protection),
                service: AuthorizationService(configuration: configuration), options: options))
    }

    /// The stored state.
    func stored() async throws -> AuthState.Record { try await restore().record }

    /// A task on the state.
    var task: WorkerTask { WorkerTask(file: file, kind: kind, port: provider.port) }

    /// Temporary files that a holder has left behind.
    var leftovers: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: (file as NSString).deletingLastPathComponent)
        return (names ?? []).filter { $0.hasSuffix(".tmp") }
    }
}
