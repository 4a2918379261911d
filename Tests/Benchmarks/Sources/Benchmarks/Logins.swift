import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateSQLite
import CBenchmarks
import Foundation

/// A login's work for the client: the authorization request, the exchange of the code, the ID token's verification, and
/// the state.
enum Logins {
    static let benchmark = Benchmark(name: "login", rounds: 9) { rounds in
        let provider = try LoginProvider()
        defer { withExtendedLifetime(provider) {} }
        let client = provider.client
        let folder = try TemporaryFolder()
        let file = FileAuthStateStore(folder: folder.path)
        let database = try SQLiteAuthStateStore(file: folder.path + "/states.db")
        let archive = [UInt8](repeating: 0x61, count: 5_900)
        let go = GoPeer.start([provider.tokenEndpoint]).map { peer in
            Contender("Go's Exchange, without the ID token") { _, calls in
                try peer.send("1 \(calls)")
                guard let line = peer.line(), let time = Double(line) else { throw CocoaError(.fileReadUnknown) }
                return time
            }
        }
        let ours = [
            Contender(working: "complete(_:callback:), tokens only", goal: .value(500_000)) { count in
                for _ in 0..<count {
                    let (pending, callback) = try await client.answeredLogin()
                    let (_, tokens) = try await client.service.complete(pending, callback: callback)
                    precondition(tokens.idToken != nil, "no ID token")
                }
            },
            Contender(working: "logIn(_:at:), state in memory", goal: .value(800_000)) { count in
                // A new store for each round, so that its size stays the same.
                let store = InMemoryAuthStateStore()
                for _ in 0..<count { try await client.logIn(at: store) }
            },
            Contender(working: "logIn(_:at:), state in a file", goal: .value(1_600_000)) { count in
                for _ in 0..<count { try await client.logIn(at: file) }
            },
            Contender(working: "logIn(_:at:), state in SQLite", goal: .value(1_600_000)) { count in
                for _ in 0..<count { try await client.logIn(at: database) }
            },
            Contender(working: "a new file alone, in C") { count in
                // Kept to the end: deletions would slow down the next creations.
                let empty = folder.path + "/" + UUID().uuidString
                try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
                for name in 0..<count {
                    let result = BenchmarksDurableCreation(empty, Int32(name), archive, archive.count)
                    precondition(result == 0, "the floor cannot save")
                }
            },
        ]
        let contenders = [go].compactMap { $0 } + ours
        let rows = try await compare(contenders, tasks: 1, calls: 200, rounds: rounds, of: .processorTime)
        return Report(rows, to: contenders[0].name)
    }
}

/// A provider with constant answers, in processes of its own: their time is not counted.
private final class LoginProvider {
    let client: LoginClient
    let tokenEndpoint: String
    private let keys: Peer
    private let tokens: Peer
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let signer = try SigningKey.generate(.rs256, keyID: "2026-11")
        let set = JSONWebKeySet(keys: [signer.publicKey]).json.serialized()
        keys = try Peer.ofThisProgram("--serve", try folder.write(Data(set), as: "keys"))
        let issuer = "http://127.0.0.1:\(keys.line() ?? "")"
        let now = Int64(Date().timeIntervalSince1970)
        let idToken = try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": "248289761001", "aud": "web-application",
                "nonce": .string(LoginClient.nonce), "iat": .number(JSONNumber(now)),
                "exp": .number(JSONNumber(now + 3_600)),
            ], with: signer)
        let answer = """
            {"access_token":"\(PooledStates.accessToken(1))","token_type":"Bearer","expires_in":3600,\
            "refresh_token":"\(String(repeating: "r", count: 60))","scope":"openid profile email offline_access",\
            "id_token":"\(idToken)"}
            """
        tokens = try Peer.ofThisProgram("--serve", try folder.write(Data(answer.utf8), as: "tokens"))
        tokenEndpoint = "http://127.0.0.1:\(tokens.line() ?? "")/token"
        client = try LoginClient(issuer: issuer, tokenEndpoint: tokenEndpoint)
    }
}

/// The program that users log in to.
private struct LoginClient {
    static let nonce = "n-0S6_WzA2MjE4Yjk2ZGVkYjQ2NzI"

    let service = AuthorizationService()
    private let issuer: String
    private let client: Client

    init(issuer: String, tokenEndpoint: String) throws {
        self.issuer = issuer
        let document = PooledStates.discoveryDocument
            .replacingOccurrences(of: "\(PooledStates.issuer)/protocol/openid-connect/token", with: tokenEndpoint)
            .replacingOccurrences(of: PooledStates.issuer, with: issuer)
        let configuration = try ProviderConfiguration(
            metadata: ProviderMetadata(parsing: Data(document.utf8)), issuer: Issuer(issuer))
        client = Client(configuration, id: "web-application")
    }

    /// Begins a login, and returns it with the answer that the browser brings.
    func answeredLogin() async throws -> (PendingAuthorization, AuthorizationCallback) {
        var request = AuthorizationRequest(
            client, scopes: [.openID, .profile, .email, .offlineAccess],
            redirectURI: try RedirectURI("https://app.example/login/callback"))
        // The provider's ID token is always the same.
        request.nonce = Self.nonce
        let pending = try await service.begin(request)
        let answer = "code=SplxlOBeZQQYbYS6WxSbIA&state=\(pending.request.state)&iss=\(issuer)"
        return (pending, AuthorizationCallback(url: "https://app.example/login/callback?\(answer)"))
    }

    /// Logs a new user in.
    func logIn(at store: some AuthStateStore) async throws {
        let (pending, callback) = try await answeredLogin()
        let place = AuthState.Place(store, key: AuthStateKey(rawValue: pending.request.state), service: service)
        let state = try await AuthState.logIn(.callback(callback, of: pending), at: place)
        precondition(state.status.storeError == nil, "the state is not stored")
    }
}
