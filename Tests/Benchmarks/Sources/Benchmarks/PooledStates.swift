import AuthStateKit
import AuthStateOAuth
import AuthStateStorage
import Foundation

/// Archives of many users, each made when it is read: as on a disk, but not in the memory that is measured.
struct PooledStates: AuthStateStore {
    static let issuer = "https://login.example/realms/main"
    /// Stands for a user's number in the archive that all others are made from.
    private static let mark = Data("~~~~~~~~".utf8)

    private let archive: Data
    private let places: [Int]

    /// Archives of a login with an access token of 1 KB.
    ///
    /// - Parameter idTokenLength: The ID token's length; nil for a login without one.
    init(idTokenLength: Int?) throws {
        archive = try AuthStateArchive(Self.record(idTokenLength: idTokenLength)).data()
        var places: [Int] = []
        var rest = archive[...]
        while let found = rest.range(of: Self.mark) {
            places.append(found.lowerBound)
            rest = archive[found.upperBound...]
        }
        self.places = places
    }

    var archiveLength: Int { archive.count }

    static func key(_ user: Int) -> AuthStateKey { AuthStateKey(rawValue: "session-6f1d2c3b-\(digits(user))") }

    static func accessToken(_ user: Int) -> String {
        token(1024).replacingOccurrences(of: "~~~~~~~~", with: digits(user))
    }

    private static func digits(_ user: Int) -> String { String(String(100_000_000 + user).dropFirst()) }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        var archive = archive
        let digits = Data(key.rawValue.utf8.suffix(8))
        for place in places { archive.replaceSubrange(place..<place + 8, with: digits) }
        return StoredAuthState(archive: archive, version: .init(rawValue: "1"))
    }

    /// Nothing ever changes, and this tells so: the states need not be read again.
    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { Unchanging.shared }

    private final class Unchanging: AuthStateWatch {
        static let shared = Unchanging()
        let generation: UInt64 = 0
    }

    /// Nothing is renewed in these states.
    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        throw CocoaError(.fileWriteNoPermission)
    }

    /// A login as a server keeps it; the mark makes it each user's own.
    static func record(
        idTokenLength: Int?, of discovery: String = discoveryDocument
    ) throws -> AuthState.Record {
        let configuration = try ProviderConfiguration(
            metadata: ProviderMetadata(parsing: Data(discovery.utf8)), issuer: Issuer(issuer))
        var request = AuthorizationRequest(
            Client(configuration, id: "web-application"), scopes: [.openID, .profile, .email, .offlineAccess],
            redirectURI: try RedirectURI("https://app.example/login/callback"))
        request.state = token(43)
        request.nonce = token(43)
        request.codeVerifier = try CodeVerifier(token(43))
        let answer = "code=\(token(110))&state=\(request.state)&iss=\(issuer)&session_state=\(token(36))"
        let now = Date()
        var tokens = TokenResponse(
            accessToken: token(1024), issuedAt: now, accessTokenExpirationDate: now.addingTimeInterval(86_400),
            refreshToken: token(60), scope: "openid profile email offline_access")
        tokens.idToken = idTokenLength.map(token)
        var record = AuthState.Record(
            Client(configuration, id: "web-application", credential: .environment("CLIENT_SECRET")))
        record.lastAuthorizationResponse = try AuthorizationResponse(
            callback: AuthorizationCallback(url: "https://app.example/login/callback?\(answer)"), for: request)
        record.lastTokenResponse = tokens
        record.refreshToken = tokens.refreshToken
        record.idToken = tokens.idToken
        record.scope = tokens.scope
        record.grantEpoch = 1
        record.grantID = token(15)
        return record
    }

    private static func token(_ length: Int) -> String { "~~~~~~~~" + String(repeating: "x", count: length - 8) }

    /// What a provider has to publish, and where it revokes.
    static let smallDocument = """
        {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/auth","token_endpoint":"\(issuer)/token",\
        "jwks_uri":"\(issuer)/certs","revocation_endpoint":"\(issuer)/revoke","response_types_supported":["code"],\
        "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}
        """

    /// As long as those of the large providers, 4 KB.
    static let discoveryDocument: String = {
        let endpoints = [
            ("authorization_endpoint", "auth"), ("token_endpoint", "token"), ("userinfo_endpoint", "userinfo"),
            ("end_session_endpoint", "logout"), ("jwks_uri", "certs"), ("introspection_endpoint", "introspect"),
            ("revocation_endpoint", "revoke"), ("registration_endpoint", "register"),
            ("check_session_iframe", "session"), ("device_authorization_endpoint", "device"),
            ("backchannel_authentication_endpoint", "ciba"), ("pushed_authorization_request_endpoint", "par"),
        ]
        let algorithms =
            #"["PS384","RS384","EdDSA","ES384","HS256","HS512","ES256","RS256","HS384","ES512","PS256","PS512","RS512"]"#
        let methods =
            #"["private_key_jwt","client_secret_basic","client_secret_post","tls_client_auth","client_secret_jwt"]"#
        let lists = [
            ("id_token_signing_alg_values_supported", algorithms),
            ("userinfo_signing_alg_values_supported", algorithms),
            ("request_object_signing_alg_values_supported", algorithms),
            ("authorization_signing_alg_values_supported", algorithms),
            ("token_endpoint_auth_signing_alg_values_supported", algorithms),
            ("revocation_endpoint_auth_signing_alg_values_supported", algorithms),
            ("introspection_endpoint_auth_signing_alg_values_supported", algorithms),
            ("token_endpoint_auth_methods_supported", methods),
            ("revocation_endpoint_auth_methods_supported", methods),
            ("introspection_endpoint_auth_methods_supported", methods),
            ("id_token_encryption_alg_values_supported", #"["ECDH-ES+A256KW","RSA-OAEP","RSA-OAEP-256","RSA1_5"]"#),
            ("id_token_encryption_enc_values_supported", #"["A256GCM","A192GCM","A128GCM","A128CBC-HS256"]"#),
            ("claims_supported", #"["aud","sub","iss","auth_time","name","given_name","family_name","email","acr"]"#),
            ("scopes_supported", #"["openid","profile","email","address","phone","offline_access","roles","groups"]"#),
            ("grant_types_supported", #"["authorization_code","refresh_token","client_credentials"]"#),
            ("response_types_supported", #"["code","code id_token","code token","code id_token token"]"#),
            ("response_modes_supported", #"["query","fragment","form_post","query.jwt","jwt"]"#),
            ("code_challenge_methods_supported", #"["plain","S256"]"#),
            ("subject_types_supported", #"["public","pairwise"]"#),
            ("authorization_response_iss_parameter_supported", "true"),
            ("claims_parameter_supported", "true"), ("request_parameter_supported", "true"),
        ]
        let members =
            [#""issuer":"\#(issuer)""#]
            + endpoints.map { #""\#($0)":"\#(issuer)/protocol/openid-connect/\#($1)""# }
            + lists.map { #""\#($0)":\#($1)"# }
        return "{\(members.joined(separator: ","))}"
    }()
}
