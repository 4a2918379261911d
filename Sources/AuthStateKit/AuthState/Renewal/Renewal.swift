import AuthStateFoundation
import AuthStateOAuth

extension AuthState {
    /// One renewal under the lease, as a value: it is told what happened, changes the ledger, and says what to do next.
    ///
    /// Read the store, save what is unsaved, still needed?, reserve, redeem, verify, save, deliver. The driver
    /// (`AuthState.renew`) does the steps and decides nothing.
    struct Renewal: Sendable {
        enum Step: Sendable {
            /// Read the store under the lease, and have the ledger take in what is found.
            case load
            /// Save the newest record once; the last step under the lease, if it succeeds and nothing changes meanwhile.
            case save(isLast: Bool)
            /// Make sure that a save will have room, and that the lease is still held.
            case reserve
            /// Send a request, and wait for the answer until the deadline of the renewal.
            case redeem(TokenRequest)
            case pause(Duration)
            /// Verify the ID token of an answer.
            case verify(TokenResponse)
            case finish(Outcome)
        }

        enum Input: Sendable {
            case begin
            case done
            case failed(any Error)
            /// The outcome of a request, and when that was sent.
            case answer(AuthorizationService.Redemption, asked: Stamp)
            case verified(Result<TokenResponse, AuthStateError>)
        }

        enum Outcome: Sendable {
            case tokens(TokenResponse)
            /// A login, logout or update came in between: the callers have to look at the new state. The tokens of an answer that
            /// came too late go to no caller.
            case superseded(late: TokenResponse?)
            case failed(any Error)
        }

        /// The clock, the deadline and the randomness of a decision, which the value does not have.
        struct Moment: Sendable {
            let now: Date
            /// The time left for answers, once the first request is sent.
            let remaining: Duration
            /// A number between 0.5 and 1, which keeps many clients from coming back at the same moment.
            let jitter: Double
        }

        let parameters: RenewalParameters
        let reason: Flight.Reason
        let grantID: String
        let options: Options
        var state = State.ready
        var events: [AuthStateEvent] = []
        var moment = Moment(now: .distantPast, remaining: .zero, jitter: 1)
        var retries = 0
        var isAskedAgain = false

        enum State: Sendable {
            /// Can go on to: reading.
            case ready
            /// Can go on to: saving, over.
            case reading
            /// Can go on to: redeeming, over.
            case reserving(TokenRequest)
            /// Can go on to: pausing, saving, verifying, rereading, over.
            case redeeming(TokenRequest)
            /// Can go on to: reserving again, and to whatever follows the answer.
            case pausing(Answer)
            /// Can go on to: redeeming, and to whatever follows the answer.
            case reservingAgain(Answer)
            /// Can go on to: saving, over.
            case verifying(TokenResponse, of: TokenRequest, asked: Stamp)
            /// The provider refused a token, and another process may have stored a newer one. Can go on to: saving, over.
            case rereading(AuthStateError, TokenRequest)
            /// Can go on to: what `Next` says.
            case saving(Saving, then: Next)
            case over
        }

        /// An answer that may not be the last one.
        struct Answer: Sendable {
            let redemption: AuthorizationService.Redemption
            let asked: Stamp
            let request: TokenRequest
        }

        /// The continuation after a save that succeeded, or was reported as failed.
        enum Next: Sendable {
            case decide
            case askAgain(Answer)
            case verify(TokenResponse, of: TokenRequest, asked: Stamp)
            case deliver(TokenResponse, loginEndedAt: Date?)
            case refuse(AuthStateError)
            case fail(any Error)
            case supersede(late: TokenResponse?)

            /// Whether the save brings renewed tokens, and no step under the lease follows unless a login comes meanwhile. Others
            /// may be a logout's, of which other processes hear in the same transaction.
            var isLast: Bool { if case .deliver = self { true } else { false } }
        }

        init(_ parameters: RenewalParameters, reason: Flight.Reason, grantID: String, options: Options) {
            (self.parameters, self.reason, self.grantID, self.options) = (parameters, reason, grantID, options)
        }

        /// Returns what the observer has not been told yet.
        mutating func takeEvents() -> [AuthStateEvent] {
            defer { events = [] }
            return events
        }

        mutating func next(_ input: Input, _ ledger: inout Ledger, at moment: Moment) -> Step {
            self.moment = moment
            switch (state, input) {
            case (.ready, .begin): return go(to: .reading, .load)
            // A login that waits for the lease, whose tokens are delivered below; or that the holder before died. Saved before
            // space is reserved, which a save uses up.
            case (.reading, .done): return save(then: .decide, &ledger)
            case (.reserving(let request), .done):
                events.append(.renewalStarted)
                return go(to: .redeeming(request), .redeem(request))
            case (.redeeming(let request), .answer(let redemption, let asked)):
                return answered(Answer(redemption: redemption, asked: asked, request: request), &ledger)
            case (.pausing(let answer), .done) where moment.remaining > .seconds(1):
                retries += 1
                return go(to: .reservingAgain(answer), .reserve)
            case (.reservingAgain(let answer), .done):
                return go(to: .redeeming(answer.request), .redeem(answer.request))
            case (.pausing(let answer), _), (.reservingAgain(let answer), .failed):
                return settle(answer, &ledger)
            case (.verifying(let response, let request, let asked), .verified(let result)):
                return verified(result, of: response, request, asked: asked, &ledger)
            case (.rereading(let error, let request), .done):
                return refused(error, request, &ledger)
            case (.saving(let saving, let then), .done):
                return go(on: saving, after: nil, then: then, &ledger)
            case (.saving(let saving, let then), .failed(let error)):
                return go(on: saving, after: error, then: then, &ledger)
            case (.reading, .failed(let error)), (.reserving, .failed(let error)), (.rereading, .failed(let error)):
                return finish(.failed(error))
            default: preconditionFailure("A renewal got an input that it did not wait for.")
            }
        }

        // MARK: - Steps

        mutating func go(to state: State, _ step: Step) -> Step {
            self.state = state
            return step
        }

        mutating func finish(_ outcome: Outcome) -> Step { go(to: .over, .finish(outcome)) }

        /// Saves unsaved changes, then goes on.
        mutating func save(then next: Next, _ ledger: inout Ledger) -> Step {
            var saving = Saving()
            guard saving.begin(ledger) != nil else { return follow(next, &ledger) }
            return go(to: .saving(saving, then: next), .save(isLast: next.isLast))
        }

        /// Applies an event and saves it: it may be the last chance. Then goes on.
        mutating func save(
            _ event: Event, at stamp: Stamp? = nil, then next: Next, _ ledger: inout Ledger
        ) -> Step {
            apply(event, at: stamp, &ledger)
            return save(then: next, &ledger)
        }

        mutating func apply(_ event: Event, at stamp: Stamp? = nil, _ ledger: inout Ledger) {
            events += ledger.apply(event, at: stamp ?? ledger.newest.value.nextStamp(at: moment.now))
        }

        private mutating func go(
            on saving: Saving, after failure: (any Error)?, then next: Next, _ ledger: inout Ledger
        ) -> Step {
            var saving = saving
            do {
                if let step = try saving.next(failure, ledger) {
                    return go(
                        to: .saving(saving, then: next), step == .save ? .save(isLast: next.isLast) : .load)
                }
            } catch { events += ledger.saveFailed(error) }
            return follow(next, &ledger)
        }

        /// Ends because of a newer grant, which is saved before the lease is released: the refresh token that is stored may be
        /// spent.
        mutating func supersede(late: TokenResponse? = nil, _ ledger: inout Ledger) -> Step {
            save(then: .supersede(late: late), &ledger)
        }
    }
}
