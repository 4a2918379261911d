import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// The state that a session and its server's thread share: the rules, the answer once it came, and the waiting browser.
final class LoopbackExchange: Sendable {
    private enum State {
        case expecting
        /// The answer came; the browser waits for the page.
        case answered(LoopbackResponder)
        /// The page was sent, or the flow ended without an answer.
        case done
    }

    /// A trip that was presented.
    private struct Trip {
        let rules: LoopbackCallbackRules
        var entrance: LoopbackEntrance
        var state = State.expecting
        /// Whether a second visitor came after the answer.
        var isContested = false
        /// The last answer that was refused.
        var refused: LoopbackPages.Occasion?
        /// The refusals that were told: a page could cause any number of them.
        var told: Set<String> = []
    }

    /// The answer.
    let callback = SharedResult<AuthorizationCallback>()
    private let pages: LoopbackPages
    private let purpose: UserAgentPurpose
    /// Called with a description of each refused answer.
    private let onRefusal: (@Sendable (String) -> Void)?
    /// Nil until something is presented: before that nothing can be an answer.
    private let trip = Lock<Trip?>(nil)

    init(pages: LoopbackPages, purpose: UserAgentPurpose, onRefusal: (@Sendable (String) -> Void)? = nil) {
        (self.pages, self.purpose, self.onRefusal) = (pages, purpose, onRefusal)
    }

    /// Begins to expect an answer; returns false when that was done before.
    func expect(by rules: LoopbackCallbackRules) -> Bool {
        trip.withLock { trip in
            guard trip == nil else { return false }
            trip = Trip(rules: rules, entrance: rules.entrance)
            return true
        }
    }

    /// The answer that was refused last, for the error of a trip without any other; nil when none was.
    var refusedAnswer: String? { trip.withLock { $0?.refused?.refusedAnswer } }

    /// Whether the one-time address was visited again after the answer: one of the two is not the browser that was opened.
    var isContested: Bool { trip.withLock { $0?.isContested == true } }

    /// Judges a request; runs on the server's thread.
    func handle(_ request: LoopbackRequest, _ responder: LoopbackResponder) {
        guard let rules = trip.withLock({ $0?.rules }) else { return respond(.refused(status: 404), responder) }
        switch rules.judge(request) {
        case .refuse(let status): respond(.refused(status: status), responder)
        case .visit: respond(visit(), responder)
        case .otherBrowser: respond(refuse(.otherBrowser), responder)
        case .otherState: respond(refuse(.otherState), responder)
        case .handover(let handover): respond(isExpecting ? .handover(handover) : .alreadyUsed, responder)
        case .callback(let answer): end(with: .success(answer), responder)
        case .unconfirmed(let refusal): end(with: .failure(refusal), responder)
        }
    }

    private func end(with result: Result<AuthorizationCallback, any Error>, _ responder: LoopbackResponder) {
        guard take(responder) else { return respond(.alreadyUsed, responder) }
        callback.finish(result)
    }

    /// Sends the page to the browser that waits, if one does; nothing is expected after that.
    func close(with occasion: LoopbackPages.Occasion) {
        let waiting = trip.withLock { trip -> LoopbackResponder? in
            defer { trip?.state = .done }
            if case .answered(let responder) = trip?.state { return responder }
            return nil
        }
        if let waiting { respond(occasion, waiting) }
    }

    /// Leads the first visitor on to the provider's page. A second one ends the flow: one of the two is not the browser
    /// that was opened.
    private func visit() -> LoopbackPages.Occasion {
        let (occasion, isOver) = trip.withLock { trip -> (LoopbackPages.Occasion, Bool) in
            guard trip?.entrance.enter() == true, let entrance = trip?.entrance else {
                guard case .expecting = trip?.state else {
                    trip?.isContested = true
                    return (.openedTwice, false)
                }
                trip?.state = .done
                return (.openedTwice, true)
            }
            guard case .expecting = trip?.state else { return (.alreadyUsed, false) }
            return (.entrance(entrance), false)
        }
        if isOver { callback.finish(.failure(purpose.openedTwice)) }
        return occasion
    }

    /// Notes an answer that is refused while one is still expected.
    private func refuse(_ occasion: LoopbackPages.Occasion) -> LoopbackPages.Occasion {
        let (shown, isNew) = trip.withLock { trip -> (LoopbackPages.Occasion, Bool) in
            guard case .expecting = trip?.state else { return (.alreadyUsed, false) }
            trip?.refused = occasion
            return (occasion, trip?.told.insert(occasion.refusedAnswer ?? "").inserted == true)
        }
        if isNew, let answer = shown.refusedAnswer { onRefusal?(answer) }
        return shown
    }

    private var isExpecting: Bool { trip.withLock { trip in if case .expecting = trip?.state { true } else { false } } }

    /// Keeps the browser that brought the answer; returns false when there was one before.
    private func take(_ responder: LoopbackResponder) -> Bool {
        trip.withLock { trip in
            guard case .expecting = trip?.state else { return false }
            trip?.state = .answered(responder)
            return true
        }
    }

    private func respond(_ occasion: LoopbackPages.Occasion, _ responder: LoopbackResponder) {
        responder.respond(pages.response(for: occasion, purpose: purpose))
    }
}
