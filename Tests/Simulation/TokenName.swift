import AuthStateKit
import AuthStateOAuth

/// The name of a token, which says whose it is: `refresh-2.1` is the refresh token of grant 2 after one rotation.
struct TokenName: Hashable {
    /// The kind of token.
    enum Kind: String { case access, refresh, registration, secret }

    var kind: Kind
    /// The grant; for a token of a registration, the client.
    var grant: Int
    /// The number of tokens before it.
    var number: Int

    init(_ kind: Kind, _ grant: Int, _ number: Int) { (self.kind, self.grant, self.number) = (kind, grant, number) }

    /// Reads a name, for example `refresh-2.1`.
    init?(_ token: String?) {
        guard let token, let dash = token.firstIndex(of: "-"), let kind = Kind(rawValue: String(token[..<dash])) else {
            return nil
        }
        let parts = token[token.index(after: dash)...].split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(kind, parts[0], parts[1])
    }

    /// The token itself.
    var token: String { "\(kind.rawValue)-\(grant).\(number)" }
}

extension AuthState.Record {
    /// The number of the grant whose tokens the record holds; nil when it holds none.
    var grant: Int? { (TokenName(refreshToken) ?? TokenName(lastTokenResponse?.accessToken))?.grant }
}
