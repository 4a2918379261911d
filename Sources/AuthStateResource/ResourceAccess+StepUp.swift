import AuthStateKit
import AuthStateOAuth
import AuthStateServer

extension ResourceAccess {
    /// Logs in for more rights: a bounded number of times for each call and for each operation that is named, and once for
    /// a scope that is never granted, in this process or an earlier one.
    ///
    /// - Parameter before: The number of such logins that the call has made.
    /// - Returns: Whether the call made a login, and did not join another's.
    func stepUp(
        _ operation: String?, after before: Int, because error: AuthStateError, seen: Seen, since: Int
    ) async throws -> Bool {
        let wanted = await wanted(error.challenge)
        if try await isMade(seen, since: since) { return false }
        guard let record = state?.record else {
            return try await logIn(because: error, seen: seen, since: since)
        }
        let granted = record.scope?.scopes ?? []
        // The login that is kept may be one of an earlier process. A right that was granted and withdrawn is another matter.
        history.granted(granted, of: record.annotations[Self.notGranted].map { Array($0.scopes) } ?? [])
        let missing = wanted.filter { !granted.contains($0) }
        switch history.stepUp(for: operation, call: before, missing: missing, limit: options.maximumStepUps) {
        case .inVain(let count): throw error.inVain(after: count)
        case .notGranted(let scopes): throw error.notGranted(scopes)
        case .login(let number):
            // Only a login that was made counts.
            guard try await logIn(because: error, seen: seen, since: since) else { return false }
            if let operation { history.steppedUp(for: operation, number: number) }
            return true
        }
    }

    /// The scopes that a challenge asks for; of one that names none, those that the resource's metadata list.
    ///
    /// Without those that no login asks for because of a resource: a scope that is never granted is one that is always missing.
    private func wanted(_ challenge: AuthenticationChallenge?) async -> [Scope] {
        if let scopes = challenge?.scopes, !scopes.isEmpty { return scopes }
        let description = try? await service.describe(
            resource, challenge: challenge, tolerances: options.tolerances,
            signedMetadataKeys: options.signedMetadataKeys)
        return (description?.metadata.scopesSupported ?? []).filter { $0.isValid && $0 != .offlineAccess }
    }
}

extension AuthStateError {
    /// The same error, after a login that asked for the scopes.
    fileprivate func notGranted(_ scopes: [Scope]) -> AuthStateError {
        var copy = self
        copy.message =
            "The access token does not allow this request: the login asked for what is missing, and was not granted it."
        copy.expected = scopes.map(\.rawValue).joined(separator: " ")
        copy.hint =
            "Ask the operator of the resource who may have this scope, or log in again to ask the user once more."
        return copy
    }

    /// The same error, after logins for more rights that brought none.
    fileprivate func inVain(after count: Int) -> AuthStateError {
        var copy = self
        copy.message =
            count == 0
            ? "The access token does not allow this request, and the resource asks for nothing that was not granted."
            : "The access token does not allow this request, also after \(count) \(count == 1 ? "login" : "logins") for more rights."
        copy.hint = "Ask the operator of the resource which scope this request needs."
        return copy
    }
}
