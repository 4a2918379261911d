extension AuthState {
    /// The save of unsaved changes, with a second try, as a value: it is told what happened and says what to do next.
    ///
    /// A disk may fail once; or the lease of a store for several machines expired before the work under it was done, and
    /// another process has written: then the store is read again, and there may be nothing left to save.
    struct Saving: Sendable, Hashable {
        enum Step: Sendable { case save, load }

        private enum State: Sendable, Hashable { case ready, first, reading, second, over }
        private var state = State.ready

        /// Returns the first step; nil when everything is saved.
        mutating func begin(_ ledger: Ledger) -> Step? {
            guard !ledger.isSaved else { return end() }
            return go(to: .first, .save)
        }

        /// Returns the step after one that was done, or that failed; nil at the end. Throws the error of the second
        /// try.
        mutating func next(_ failure: (any Error)?, _ ledger: Ledger) throws -> Step? {
            switch (state, failure) {
            case (.first, nil), (.second, nil): return end()
            case (.first, _): return go(to: .reading, .load)
            case (.reading, nil): return ledger.isSaved ? end() : go(to: .second, .save)
            case (.reading, let error?), (.second, let error?):
                state = .over
                throw error
            case (.ready, _), (.over, _): preconditionFailure("No step of this save is in progress.")
            }
        }

        private mutating func go(to state: State, _ step: Step) -> Step {
            self.state = state
            return step
        }

        private mutating func end() -> Step? {
            state = .over
            return nil
        }
    }
}
