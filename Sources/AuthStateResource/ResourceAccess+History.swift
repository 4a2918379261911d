import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateServer

extension ResourceAccess {
    /// The outcomes of an access's logins, and the rules for the next one.
    struct History: Sendable {
        /// The number of logins that have ended.
        private(set) var ended = 0
        /// The last login, if it failed, for the calls that began before its end.
        private var failure: (end: Int, error: any Error)?
        /// The logins for more rights that an operation has led to.
        private var stepUps: [String: Int] = [:]
        /// The scopes that a login asked for and was not granted.
        private var notGranted: Set<Scope> = []
        /// The grants that the resource has refused since it allowed a request.
        private var refused: Set<String> = []
        /// The scopes that the next login asks for only because the one before did: the resource no longer lists them.
        var unlisted: Set<Scope> = []
        /// Such scopes of a login that a server has refused.
        private(set) var retired: Set<Scope> = []
        /// The clients that a server has refused to know: each is registered anew.
        private var forgotten: Set<Forgotten> = []
        /// Whether the registration that is kept is one of them, see `Options.registersAnew`.
        private var distrustsRegistration: Bool

        private struct Forgotten: Hashable {
            var clientID: String
            var issuer: Issuer
        }

        init(distrustsRegistration: Bool = false) { self.distrustsRegistration = distrustsRegistration }
    }
}

extension ResourceAccess.History {
    // MARK: - Logins

    /// Records the end of a login. A cancelled login fails no other caller.
    mutating func loginEnded(_ error: (any Error)?) {
        ended += 1
        if error is CancellationError { return }
        failure = error.map { (ended, $0) }
    }

    /// Returns the error of the last login, if it failed and ended after a call had begun.
    func failure(since begun: Int) -> (any Error)? {
        failure.flatMap { $0.end > begun ? $0.error : nil }
    }

    /// Clears the counts, before a login that the program asks for.
    mutating func loginWanted() { (stepUps, notGranted) = ([:], []) }

    // MARK: - Requests

    /// Clears the counts of an operation that the resource has allowed.
    mutating func allowed(_ operation: String) {
        stepUps[operation] = nil
        refused = []
    }

    /// Records a refused grant.
    ///
    /// - Returns: Whether a second grant has been refused, so that a new login would not help.
    mutating func refused(_ grantID: String) -> Bool {
        if refused.count < 2 { refused.insert(grantID) }
        return refused.count > 1
    }

    // MARK: - More rights

    /// The answer to the question whether one more login can bring more rights.
    enum StepUp: Equatable {
        /// A login may help; `number` is its number for the operation.
        case login(number: Int)
        /// No login helps: no scope is missing, or the limit is reached.
        case inVain(after: Int)
        /// The last login asked for the missing scopes, and was not granted them.
        case notGranted([Scope])
    }

    /// Returns whether a login for more rights may help.
    ///
    /// - Parameters:
    ///   - operation: The operation; nil for one without a name.
    ///   - call: The number of such logins that the call itself has made.
    ///   - missing: The scopes that the resource asks for and that were not granted: without any, a grant is refused for
    ///     another reason, and one more login would change nothing.
    ///   - limit: The number of such logins for each call, and for each operation.
    func stepUp(for operation: String?, call: Int, missing: [Scope], limit: Int) -> StepUp {
        let made = max(call, operation.flatMap { stepUps[$0] } ?? 0)
        let isAllowed = TrustCheck.stepUpBound.holds(made < limit && missing.contains { !notGranted.contains($0) })
        if isAllowed { return .login(number: made + 1) }
        return made < limit && !missing.isEmpty ? .notGranted(missing) : .inVain(after: made)
    }

    /// Records a login for more rights.
    mutating func steppedUp(for operation: String, number: Int) {
        // The names of operations may be arbitrary paths.
        if stepUps.count >= 256, stepUps[operation] == nil { stepUps = [:] }
        stepUps[operation] = number
    }

    /// Records the requested scopes that a login was granted, and those that it was not.
    ///
    /// - Returns: Those that it was not.
    @discardableResult
    mutating func granted(_ granted: Set<Scope>, of requested: [Scope]) -> [Scope] {
        let missing = requested.filter { $0 != .offlineAccess && !granted.contains($0) }
        notGranted.subtract(granted)
        if notGranted.count >= 256 { notGranted = [] }
        notGranted.formUnion(missing)
        return missing
    }

    /// Records that a server has refused the scopes of a login.
    ///
    /// - Returns: Whether the next login asks for fewer.
    @discardableResult
    mutating func scopesRefused() -> Bool {
        guard !unlisted.isSubset(of: retired) else {
            // Refused without them: they were not the reason.
            retired = []
            return false
        }
        retired.formUnion(unlisted)
        return true
    }

    // MARK: - Clients

    /// Records that a server has forgotten a client.
    ///
    /// - Returns: Whether this is the first report.
    @discardableResult
    mutating func forget(_ clientID: String, at issuer: Issuer) -> Bool {
        forgotten.insert(Forgotten(clientID: clientID, issuer: issuer)).inserted
    }

    /// Whether a server has refused to know a client that it registered.
    func isForgotten(_ clientID: String, at issuer: Issuer) -> Bool {
        forgotten.contains(Forgotten(clientID: clientID, issuer: issuer))
    }

    /// Records a registration, also under an identifier that was forgotten.
    mutating func registered(_ clientID: String, at issuer: Issuer) {
        forgotten.remove(Forgotten(clientID: clientID, issuer: issuer))
    }

    /// Returns the registration to log in with: the one that was kept, unless the program asked once for another.
    mutating func trusted(_ kept: RegistrationResponse?, at issuer: Issuer) -> RegistrationResponse? {
        guard distrustsRegistration else { return kept }
        distrustsRegistration = false
        if let kept { forget(kept.clientID, at: issuer) }
        return nil
    }
}
