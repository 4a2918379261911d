/// An action of a process, of its user or of its environment.
enum Action: String, Hashable, CaseIterable {
    // Calls for tokens.

    /// `freshTokens()`.
    case freshTokens
    /// `freshTokens(validFor:)`, for a minute.
    case longTokens
    /// `freshTokens()` with a scope, whose tokens are kept beside the default ones.
    case sideTokens
    /// `refresh()`.
    case refresh
    /// `withFreshToken`, whose body is refused the first token.
    case refusedToken
    /// `performAction`: a request to a resource, which answers 401 to a token that the provider does not know.
    case request
    /// The same of an access, for which the resource wants a scope that a first login does not ask for.
    case write
    /// `accessToken()` of an access, for a request by a client of the program's own; after a refusal
    /// `accessToken(after:of:)`.
    case takeToken
    /// `performAction(_:reauthorize:)`, whose user logs in again as the same.
    case reauthorize
    /// `performAction(_:reauthorize:)`, whose user logs in again as another.
    case reauthorizeAsAnother

    // Logins and logouts.

    /// A login of another user: tokens by `update(with:)`.
    case login
    /// A login by a page: `authorize`.
    case authorize
    /// A login of an access in two requests of a browser: `beginLogin`, then `completeLogin`.
    case redirect
    /// A login on another device: `authorizeDevice`.
    case device
    /// `clientCredentials`.
    case clientCredentials
    /// A login by the assertion of a platform.
    case assertion
    /// `clear()`; of a pool `remove(_:)`.
    case clear
    /// `logOut(.everywhere())`.
    case logOut
    /// `revoke()`.
    case revoke

    // Registration.

    /// `AuthState.register`.
    case register
    /// `readRegistration()`.
    case readRegistration
    /// `updateRegistration(_:)`.
    case updateRegistration
    /// `deleteRegistration()`.
    case deleteRegistration

    // Upkeep.

    /// `reload()`.
    case reload
    /// `save()`.
    case save
    /// `drain()`.
    case drain
    /// `setNeedsTokenRefresh()`.
    case needsRefresh
    /// `run()`, until the faults end.
    case run

    // The environment.

    /// The newest call of the process is cancelled.
    case cancel
    /// The oldest call of the process that has not returned is cancelled.
    case cancelOldest
    /// The process dies where it stands, and a new one takes its place.
    case crash
    /// The holder of the lease loses it: another process may acquire it.
    case loseLease
    /// The provider ends the grant of the user whom the process serves.
    case withdraw
    /// The provider signs with another key from now on, and publishes that one alone.
    case rotateKeys
    /// The resource names the other authorization server from now on, and takes its tokens alone.
    case moveResource
    /// The provider forgets the client that registered last.
    case forgetClient
    /// A quarter of a minute passes.
    case quarterMinute
    /// A minute passes.
    case minute
    /// The process's clock is set an hour ahead.
    case clockAhead
    /// The process's clock is set an hour back.
    case clockBack
    /// The process's clock is set right.
    case clockRight
}
