import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// A provider's name for one session, or for all sessions of a user.
struct SessionName: Hashable, Sendable {
    private enum Kind: String { case session, user }

    private let kind: Kind
    private let issuer: String
    /// Bytes: two users' names may be equal as strings, which Unicode compares.
    private let value: [UInt8]

    /// The name in a logout token: the session's, else the user's.
    init?(_ token: LogoutToken) {
        guard let value = token.sessionID ?? token.subject else { return nil }
        self.init(token.sessionID == nil ? .user : .session, token.issuer.rawValue, value)
    }

    /// The name of a user.
    init(user subject: String, at issuer: Issuer) { self.init(.user, issuer.rawValue, subject) }

    private init(_ kind: Kind, _ issuer: String, _ value: String) {
        (self.kind, self.issuer, self.value) = (kind, issuer, Array(value.utf8))
    }

    /// The names of a session, by its ID token: the user's, and the session's where the provider has one.
    static func all(of token: IDToken) -> Set<SessionName> {
        guard let issuer = token.issuer else { return [] }
        let names = [
            token.subject.map { SessionName(.user, issuer, $0) },
            token.sessionID.map { SessionName(.session, issuer, $0) },
        ]
        return Set(names.compactMap(\.self))
    }

    /// The seconds by which a session may have begun after the logout token that ends it, where the two come from machines of
    /// the provider with different clocks.
    ///
    /// The next login gets another `sid`, so that a minute ends no other session. A user may log in again within seconds: the
    /// leeway of `sub` covers only times in whole seconds, and clocks that NTP keeps.
    var leeway: Double { kind == .session ? 60 : 2 }

    /// Whether a key has the form of an entry's.
    static func isKey(_ key: AuthStateKey) -> Bool {
        guard !key.isDigest, key.rawValue.hasPrefix(prefix) else { return false }
        return Base64URL.decode(key.rawValue.dropFirst(prefix.count))?.count == 32
    }

    private static let prefix = "index-"

    /// The key of the name's entry in the store; no user or session can be read from it.
    var key: AuthStateKey {
        get throws {
            let text: [UInt8] = "AuthStateKit session index\n\(kind.rawValue)\n\(issuer)\n".utf8 + value
            do { return AuthStateKey(rawValue: "\(Self.prefix)\(Base64URL.encode(try SHA2.sha256(text)))") } catch {
                throw AuthStateError(
                    .libraryUnavailable, stage: .store, "The session cannot be indexed: there is no SHA-256.",
                    underlying: error)
            }
        }
    }
}
