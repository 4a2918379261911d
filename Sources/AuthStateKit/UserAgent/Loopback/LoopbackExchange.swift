internal import AuthStateJOSE
internal import AuthStateOAuth

/// What a session and its server's thread share: the rules, the answer once it came, and the browser that is kept waiting.
final class LoopbackExchange: Sendable {
    private enum State {
        /// Nothing was presented yet, so nothing can be an answer.
        case closed
        case expecting
        /// The answer came; the browser waits for the page.
        case answered(LoopbackResponder)
        /// The page was sent, or nobody waits for one any more.
        case done

        /// What an answer is told that is not expected now.
        var refusal: LoopbackPages.Occasion? {
            switch self {
            case .closed: .refused(status: 404)
            case .expecting: nil
            case .answered, .done: .alreadyUsed
            }
        }
    }

    private struct Shared {
        var state = State.closed
        var rules: LoopbackCallbackRules?
    }

    /// The answer.
    let callback = SharedResult<AuthorizationCallback>()
    private let pages: LoopbackPages
    private let purpose: UserAgentPurpose
    private let shared = Lock(Shared())

    init(pages: LoopbackPages, purpose: UserAgentPurpose) {
        self.pages = pages
        self.purpose = purpose
    }

    /// Sets the rules, once the port is known.
    func open(_ rules: LoopbackCallbackRules) { shared.withLock { $0.rules = rules } }

    /// Begins to expect an answer; false when that was done before.
    func expect() -> Bool {
        shared.withLock { shared in
            guard case .closed = shared.state else { return false }
            shared.state = .expecting
            return true
        }
    }

    /// Judges a request; runs on the server's thread.
    func handle(_ request: LoopbackRequest, _ responder: LoopbackResponder) {
        guard let rules = shared.withLock({ $0.rules }) else { return responder.inject(.close) }
        switch rules.judge(request) {
        case .refuse(let status): respond(.refused(status: status), responder)
        case .fragmentPage: respond(shared.withLock { $0.state.refusal } ?? .fragment, responder)
        case .callback(let answer):
            let refusal = shared.withLock { shared -> LoopbackPages.Occasion? in
                let refusal = shared.state.refusal
                if refusal == nil { shared.state = .answered(responder) }
                return refusal
            }
            if let refusal { return respond(refusal, responder) }
            callback.finish(.success(answer))
        }
    }

    /// Sends the page to the browser that waits, if one does; nothing is expected after that.
    func close(with occasion: LoopbackPages.Occasion) {
        let waiting = shared.withLock { shared -> LoopbackResponder? in
            defer { shared.state = .done }
            if case .answered(let responder) = shared.state { return responder }
            return nil
        }
        if let waiting { respond(occasion, waiting) }
    }

    private func respond(_ occasion: LoopbackPages.Occasion, _ responder: LoopbackResponder) {
        responder.respond(pages.response(for: occasion, purpose: purpose))
    }
}
