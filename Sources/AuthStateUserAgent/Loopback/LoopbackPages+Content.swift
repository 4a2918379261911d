import AuthStateOAuth

extension LoopbackPages {
    /// The answers to requests at the receiver.
    enum Occasion: Sendable {
        case outcome(UserAgentOutcome)
        /// The program has not reported the outcome, and the browser has waited long enough.
        case undecided
        /// The answer came before; this one changes nothing.
        case alreadyUsed
        /// The first visit of the one-time address.
        case entrance(LoopbackEntrance)
        /// Another visit of it.
        case openedTwice
        /// The page posts the answer.
        case handover(LoopbackHandover)
        /// An answer of another browser than the one that opened the one-time address.
        case otherBrowser
        /// An answer that does not belong to this trip.
        case otherState
        /// Not the provider's answer.
        case refused(status: Int)
    }

    /// The words of a page; provider's text among them is not escaped yet.
    struct Content: Sendable {
        enum Mark: Sendable {
            case success
            case failure
            case neutral
        }

        var mark: Mark
        var title: String
        var text: String
        /// Lines of detail, most of them from the provider.
        var details: [String] = []
        /// The answer that the page posts.
        var handover: LoopbackHandover?
        /// The title and text that a page gets when it finds no fragment to post.
        var withoutFragment: (title: String, text: String)?
    }

    func content(for occasion: Occasion, purpose: UserAgentPurpose) -> Content {
        let noun = purpose == .login ? "Sign-in" : "Sign-out"
        let program = applicationName ?? "the application"
        let back = "You can close this window and return to \(program)."
        switch occasion {
        case .outcome(.completed):
            let title = purpose == .login ? "You are signed in" : "You are signed out"
            return Content(mark: .success, title: title, text: back)
        case .outcome(.cancelled):
            return Content(mark: .neutral, title: "\(noun) cancelled", text: back)
        case .outcome(.failed(let error)):
            return Content(
                mark: .failure, title: "\(noun) failed", text: error.message, details: Self.details(of: error))
        case .undecided:
            let text = "The answer has arrived. \(applicationName ?? "The application") tells how it ended."
            return Content(mark: .neutral, title: "Almost done", text: text)
        case .alreadyUsed:
            return Content(
                mark: .neutral, title: "Already used",
                text: "This address has served its purpose. To begin again, return to the application.")
        case .handover(let handover):
            let stranger = content(for: .refused(status: 400), purpose: purpose)
            return Content(
                mark: .neutral, title: "One moment",
                text: "This page hands the provider's answer over to \(program).",
                handover: handover, withoutFragment: (stranger.title, stranger.text))
        case .openedTwice:
            return Content(
                mark: .failure, title: "\(noun) ended", text: "This address works once, and it was opened before.",
                details: [
                    "If that was not you, another user of the computer or a program that checks links opened it. "
                        + "To begin again, return to \(program)."
                ])
        case .otherBrowser:
            return Content(
                mark: .failure, title: "Another browser",
                text: "This answer did not come from the browser in which the \(noun.lowercased()) was opened.",
                details: [
                    "The \(noun.lowercased()) still waits: finish it in the browser and the window where it began, and "
                        + "allow cookies for this address. Or begin again in \(program)."
                ])
        case .otherState:
            return Content(
                mark: .failure, title: "Not this \(noun.lowercased())",
                text: "This answer does not belong to the \(noun.lowercased()) that is in progress.",
                details: [
                    "The \(noun.lowercased()) still waits: use the newest browser tab, or begin again in \(program)."
                ])
        case .refused, .entrance:
            return Content(
                mark: .neutral, title: "Nothing to see here",
                text: "This address only waits for the end of a \(noun.lowercased()).")
        }
    }

    private static func details(of error: AuthStateError) -> [String] {
        let described = error.response?.errorDescription.map { ": \($0)" } ?? ""
        let provider = error.response.map { "The provider said \($0.error)\(described)" }
        return [provider, error.hint ?? "Return to the application to try again."].compactMap { $0 }
    }
}

extension LoopbackPages.Occasion {
    var status: Int {
        switch self {
        case .outcome(.completed), .undecided, .handover: 200
        case .entrance: 303
        case .outcome(.failed), .outcome(.cancelled): 400
        case .otherBrowser, .otherState: 403
        case .alreadyUsed, .openedTwice: 409
        case .refused(let status): status
        }
    }

    /// A refused answer, for an error.
    var refusedAnswer: String? {
        switch self {
        case .otherBrowser: "an answer without the cookie of the browser that was opened, which was refused"
        case .otherState: "an answer with another state, or without one, which was refused"
        default: nil
        }
    }
}
