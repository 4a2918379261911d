import AuthStateJOSE
import AuthStateOAuth

/// The names in a `claims` parameter (OpenID Connect Core, section 5.5); requested values are ignored.
struct RequestedClaims: Sendable, Codable {
    var idToken: Set<String> = []
    var userInfo: Set<String> = []

    init() {}

    init(_ parameter: String?) throws(ProviderRefusal) {
        guard let parameter else { return }
        guard let members = (try? JSONValue(parsing: Array(parameter.utf8)))?.objectValue else {
            throw .invalidRequest("claims is not a JSON object.")
        }
        idToken = Set(members["id_token"]?.objectValue?.keys.map { $0 } ?? [])
        userInfo = Set(members["userinfo"]?.objectValue?.keys.map { $0 } ?? [])
    }
}
