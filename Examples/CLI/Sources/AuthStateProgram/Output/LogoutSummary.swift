import AuthStateKit

/// The results of the parts of a logout; the first failure decides the exit code.
struct LogoutSummary {
    var isRevoked = false
    var isSessionEnded = false
    /// Whether the local login is removed.
    var isForgotten = true
    var failures: [AuthStateError] = []

    static let localPart = "The local login is removed."
    private static let bothParts = "The session at the provider has ended, and the local login is gone."
}

extension LogoutSummary {
    init(_ outcome: LogoutOutcome) {
        isRevoked = outcome.revocation == .done
        isSessionEnded = outcome.session == .ended
        if case .failed = outcome.removal { isForgotten = false }
        failures = outcome.failures
        guard isForgotten else { return }
        // The login is gone here, so another try is not possible.
        failures = failures.map { error in
            var error = error
            if error.kind == .transient || error.kind == .cancelled || error.code == .browserUnavailable {
                error.hint = outcome.session == .failed(error) ? Self.sessionLeft : Self.tokensLeft
            }
            return error
        }
    }

    /// Tells that the provider does not know the client, whose registration is removed too.
    mutating func noteForgottenClient() {
        for index in failures.indices where failures[index].deniesClient {
            failures[index].hint =
                "The provider refused the client that registered here, as one that it does not know: it is forgotten here too, "
                + "and the next login registers another one."
        }
    }

    private static let tokensLeft = "The tokens stay valid until they expire."
    private static let sessionLeft =
        "The session at the provider stays open until it ends there, or you log out on the provider's own page."

    /// - Parameter note: The note of a logout without a failure.
    func report(_ common: CommonOptions, note: String = "Logged out.") -> Report {
        let members: [String: JSONValue?] = [
            "logged_out": .bool(isForgotten), "revoked": .bool(isRevoked), "session_ended": .bool(isSessionEnded),
            "error": failures.first?.advised(for: common).json,
        ]
        var notes = failures.map { "authstate: \($0.advised(for: common))" }
        if failures.isEmpty {
            notes.append(note)
        } else if isForgotten {
            notes.append(isSessionEnded ? Self.bothParts : Self.localPart)
        }
        return Report(
            json: JSONValue(known: members), note: notes.joined(separator: "\n"),
            status: failures.first.map { ExitReason($0.kind) } ?? .done)
    }
}

extension AuthStateError {
    /// Whether the provider says that it does not know the client.
    var deniesClient: Bool { code == .invalidClient && response != nil }
}
