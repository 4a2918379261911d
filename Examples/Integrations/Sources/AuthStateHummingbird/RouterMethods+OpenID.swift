public import Hummingbird

extension RouterMethods {
    /// Adds the routes of a sign-in with OpenID Connect: login, callback, logout, and, where the pool's store has an index, the
    /// logout that the provider tells of.
    ///
    /// - Parameter sessions: The sessions that the routes begin and end; its configuration names the paths.
    public func addOpenID(_ sessions: OpenIDSessions) {
        let paths = sessions.configuration.paths
        get(RouterPath(paths.login)) { request, context in try await sessions.enter(request, context) }
        post(RouterPath(paths.login)) { request, _ in try await sessions.enterByForm(request) }
        get(RouterPath(paths.callback)) { request, _ in try await sessions.complete(request) }
        post(RouterPath(paths.logout)) { request, _ in try await sessions.logOut(request) }
        get(RouterPath(paths.logout)) { request, context in try await sessions.loggedOut(request, context) }
        guard sessions.canBeEndedByProvider else { return }
        post(RouterPath(paths.backChannelLogout)) { request, context in
            try await sessions.logOutByProvider(request, context)
        }
    }
}
