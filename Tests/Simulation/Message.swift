import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// A request to the provider, or to a resource.
enum Message: Hashable {
    case code(Int)
    case renewal(TokenName)
    case revocation(TokenName)
    case deviceCodes
    case device(Int)
    case machine(Int)
    case keys
    case registration
    case management(TokenName, SimulatedProvider.Management)
    case resource(TokenName)
    /// A request to the resource without a token.
    case anonymous
    case resourceMetadata
    case serverMetadata
    case unknown

    init(_ request: TransportRequest) {
        let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } ?? [:]
        let bearer = request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
        func number(_ name: String) -> Int? { form[name]?.split(separator: "-").last.flatMap { Int($0) } }
        self =
            switch (request.url.path, form["grant_type"] ?? "") {
            case ("/keys", _): .keys
            case ("/register", _): .registration
            case ("/device", _): .deviceCodes
            case ("/data", _): TokenName(bearer).map { .resource($0) } ?? .anonymous
            case ("/.well-known/oauth-protected-resource/data", _): .resourceMetadata
            case ("/.well-known/oauth-authorization-server", _): .serverMetadata
            case ("/revoke", _): TokenName(form["token"]).map { .revocation($0) } ?? .unknown
            case ("/token", "authorization_code"): number("code").map { .code($0) } ?? .unknown
            case ("/token", "refresh_token"): TokenName(form["refresh_token"]).map { .renewal($0) } ?? .unknown
            case ("/token", "client_credentials"), ("/token", GrantType.jwtBearer.rawValue):
                number("ticket").map { .machine($0) } ?? .unknown
            case ("/token", _): number("device_code").map { .device($0) } ?? .unknown
            case (let path, _) where path.hasPrefix("/clients/"):
                TokenName(bearer).map { .management($0, .init(request.method)) } ?? .unknown
            default: .unknown
            }
    }

    /// The grant that it is about, where it names one.
    var grant: Int? {
        switch self {
        case .renewal(let token), .revocation(let token), .resource(let token): token.grant
        default: nil
        }
    }
}

extension SimulatedProvider.Management {
    init(_ method: TransportRequest.Method) {
        self =
            switch method {
            case .put: .update
            case .delete: .delete
            default: .read
            }
    }
}

extension Message: CustomStringConvertible {
    var description: String {
        switch self {
        case .code(let number): "code-\(number)"
        case .renewal(let token): token.token
        case .revocation(let token): "the revocation of \(token.token)"
        case .deviceCodes: "a request for device codes"
        case .device(let number): "device-\(number)"
        case .machine(let number): "the request of machine \(number)"
        case .keys: "a request for the keys"
        case .registration: "a registration"
        case .management(let token, let action): "the \(action) with \(token.token)"
        case .resource(let token): "a request with \(token.token)"
        case .anonymous: "a request without a token"
        case .resourceMetadata: "a request for the resource's metadata"
        case .serverMetadata: "a request for the server's metadata"
        case .unknown: "an unknown request"
        }
    }
}

/// The registered client that sends a request, and its secret; nil for the public client.
struct ClientProof {
    var client: Int
    var secret: TokenName?

    init?(_ request: TransportRequest) {
        guard let basic = request.headers["Authorization"], basic.hasPrefix("Basic "),
            let bytes = Base64.decode(String(basic.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":").map(String.init)
        guard parts.count == 2, let client = parts[0].split(separator: "-").last.flatMap({ Int($0) }) else {
            return nil
        }
        (self.client, secret) = (client, TokenName(parts[1]))
    }
}
