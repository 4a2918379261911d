import AuthStateFoundation
import AuthStateKit
import AuthStateLibc
import AuthStateOAuth

/// The client as every process has it.
extension World {
    static let issuer = "https://provider.example"
    /// The authorization server that the resource can move to.
    static let otherIssuer = "https://other.example"
    static let resource = URL(string: "https://resource.example/data")!
    static let resourceMetadataURL = "https://resource.example/.well-known/oauth-protected-resource/data"

    /// The environment variable with the token of the platform, which signs nothing here: the provider takes any.
    static let platformToken = {
        setenv("SIMULATED_PLATFORM_TOKEN", "eyJhbGciOiJFUzI1NiJ9.e30.AA", 1)
        return "SIMULATED_PLATFORM_TOKEN"
    }()

    /// The provider's endpoints.
    var configuration: ProviderConfiguration { plan.grants.isOpenID ? Self.openID : Self.plain }

    private static let plain: ProviderConfiguration = {
        func url(_ path: String) -> URL { URL(string: "\(issuer)/\(path)")! }
        var configuration = ProviderConfiguration(authorizationEndpoint: url("authorize"), tokenEndpoint: url("token"))
        configuration.revocationEndpoint = url("revoke")
        configuration.registrationEndpoint = url("register")
        configuration.deviceAuthorizationEndpoint = url("device")
        return configuration
    }()

    private static let openID: ProviderConfiguration = {
        var configuration = plain
        configuration.issuer = try? Issuer(issuer)
        configuration.jwksURI = URL(string: "\(issuer)/keys")
        return configuration
    }()

    /// The keys that tokens are bound to, made once: they cost time, and the schedule knows none of them.
    private static let proofKeys = (0..<3).compactMap { _ in try? DPoPKey.generate(.es256) }

    /// The key that a process binds tokens to; nil in a plan of bearer tokens.
    func proofKey(of process: Int) -> DPoPKey? {
        plan.grants.isBound ? Self.proofKeys[process % Self.proofKeys.count] : nil
    }

    /// The request of a process's login.
    func request(of process: Int, clientID: String = "client") -> AuthorizationRequest {
        var request = AuthorizationRequest(
            Client(configuration, id: clientID), scopes: plan.grants.isOpenID ? [.openID] : [])
        prepare(&request, of: process)
        return request
    }

    /// Gives a request the process's key, unless it has one, and a state that no other run has: the library refuses one that
    /// was used before, and the numbers of each run begin anew.
    func prepare(_ request: inout AuthorizationRequest, of process: Int) {
        request.dpopKey = request.dpopKey ?? proofKey(of: process)
        request.redirectURI = try? RedirectURI("https://client.example/callback")
        Self.states += 1
        request.state = "state-\(Self.states)"
    }

    nonisolated(unsafe) private static var states = 0

    /// The same for a login on another device.
    func deviceRequest(of process: Int) -> DeviceAuthorizationRequest {
        var request = DeviceAuthorizationRequest(
            Client(configuration, id: "client"), scopes: plan.grants.isOpenID ? [.openID] : [])
        request.dpopKey = proofKey(of: process)
        return request
    }
}
