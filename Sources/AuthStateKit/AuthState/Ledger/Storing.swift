extension AuthState {
    /// The storing of what is not stored yet, under the lease, as a value: a change, a login, or the end of a grant.
    ///
    /// Read the store, save with a second try. The end of a grant is stored over a record that can never be read, too, and
    /// where it cannot be saved, for example on a full disk, the stored record is deleted instead.
    struct Storing: Sendable {
        enum Step: Sendable {
            case load
            case save
            case delete(Ledger.Writing)
            /// Delete what is stored, readable or not.
            case discard(Ledger.Writing)
            /// The record that was stored, when its grant is the one that this ended; nil in every other case.
            case finish(Result<Record?, any Error>)
        }

        /// The grant that ends; nil for other changes.
        let ending: String?
        private var ended: Record?
        private(set) var state = State.ready

        enum State: Sendable { case ready, reading, saving(Saving), deleting, discarding, over }

        init(endOf grantID: String? = nil) { ending = grantID }

        /// Returns the first step; the store may have been read under the lease already.
        mutating func begin(_ ledger: Ledger, isRead: Bool = false) -> Step {
            isRead ? save(ledger) : go(to: .reading, .load)
        }

        /// Returns the step after one that was done, or that failed.
        mutating func next(_ failure: (any Error)?, _ ledger: Ledger) -> Step {
            switch (state, failure) {
            case (.reading, nil):
                if ledger.version != nil, ending == ledger.newest.value.grantID { ended = ledger.stored?.value }
                return save(ledger)
            // With no later login, and no registration, which is stored nowhere else.
            case (.reading, let error?)
            where error.isAboutContent && ending == ledger.newest.value.grantID && ledger.newest.value.isForgettable:
                return go(to: .discarding, .discard(ledger.writing))
            case (.discarding, nil): return save(ledger)
            case (.saving(var saving), _):
                // Read again: another process may have renewed the grant meanwhile.
                if let stored = ledger.stored?.value, stored.grantID == ended?.grantID { ended = stored }
                do {
                    guard let step = try saving.next(failure, ledger) else { return finish(.success(ended)) }
                    return go(to: .saving(saving), step == .save ? .save : .load)
                } catch {
                    guard ending != nil, ledger.newest.value.isForgettable else { return finish(.failure(error)) }
                    return go(to: .deleting, .delete(ledger.writing))
                }
            case (.deleting, nil): return finish(.success(ended))
            case (_, let error?): return finish(.failure(error))
            case (.ready, nil), (.over, nil): preconditionFailure("No step of this transaction is in progress.")
            }
        }

        private mutating func save(_ ledger: Ledger) -> Step {
            var saving = Saving()
            guard saving.begin(ledger) != nil else { return finish(.success(ended)) }
            return go(to: .saving(saving), .save)
        }

        private mutating func go(to state: State, _ step: Step) -> Step {
            self.state = state
            return step
        }

        private mutating func finish(_ result: Result<Record?, any Error>) -> Step { go(to: .over, .finish(result)) }
    }
}
