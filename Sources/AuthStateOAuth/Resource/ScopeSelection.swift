/// The scopes that a login for a resource asks for, as pure functions of what the parties have said.
public enum ScopeSelection {
    /// Returns the scopes of a first login: those of the challenge, else all that the resource lists, else none.
    ///
    /// `offline_access` is added where the authorization server lists it, and else left out: a resource cannot know.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the resource, if there was one.
    ///   - resource: The resource's metadata.
    ///   - server: The authorization server's metadata.
    public static func first(
        _ challenge: AuthenticationChallenge?, resource: ProtectedResourceMetadata?, server: ProviderMetadata?
    ) -> [Scope] {
        let challenged = challenge?.scopes ?? []
        return completed(challenged.isEmpty ? resource?.scopesSupported ?? [] : challenged, by: server)
    }

    /// Returns the scopes of a login that is to bring more rights: those asked for before, and those of the challenge, else all
    /// that the resource lists.
    ///
    /// - Parameters:
    ///   - requested: The scopes of the last login.
    ///   - challenge: The challenge that refused the token, with `insufficient_scope`.
    ///   - resource: The resource's metadata, for a challenge that names no scope.
    ///   - server: The authorization server's metadata.
    public static func stepUp(
        from requested: [Scope], _ challenge: AuthenticationChallenge?, resource: ProtectedResourceMetadata? = nil,
        server: ProviderMetadata?
    ) -> [Scope] {
        let challenged = challenge?.scopes ?? []
        return completed(requested + (challenged.isEmpty ? resource?.scopesSupported ?? [] : challenged), by: server)
    }

    /// Removes repetitions and scopes that no request may hold, and lets the server decide about `offline_access`.
    private static func completed(_ scopes: [Scope], by server: ProviderMetadata?) -> [Scope] {
        var seen: Set<Scope> = []
        var wanted = scopes.filter { $0.isValid && seen.insert($0).inserted && $0 != .offlineAccess }
        if server?.scopesSupported?.contains(Scope.offlineAccess.rawValue) == true { wanted.append(.offlineAccess) }
        return wanted
    }
}
