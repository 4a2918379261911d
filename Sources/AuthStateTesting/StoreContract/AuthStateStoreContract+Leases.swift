import AuthStateFoundation
import AuthStateKit
import AuthStateStorage

extension AuthStateStoreContract.Check {
    static let exclusion = Self("of a hundred transactions at the same time none is lost") { trial in
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await trial.increment(in: number.isMultiple(of: 2) ? trial.store : trial.other) }
            }
            try await group.waitForAll()
        }
        try await trial.expect("100", "after a hundred transactions")
    }

    static let deadline = Self("a transaction that waits for another holder fails at its deadline: the key is locked") {
        trial in
        try await trial.lease { _ in
            for store in [trial.store, trial.other] {
                try await trial.expect(.storeLocked, "Waiting until the deadline") {
                    try await trial.soon("Waiting until the deadline") {
                        try await store.withLease(trial.key, deadline: .milliseconds(50)) { _ in }
                    }
                }
            }
        }
        try await trial.put("free again", in: trial.other)
    }

    static let otherKeys = Self("one key does not wait for another") { trial in
        try await trial.lease { _ in
            for store in [trial.store, trial.other] { try await trial.put("one", trial.key("other"), in: store) }
        }
    }

    static let cancelledWaiting = Self("a transaction that is cancelled while it waits ends at once, without the key") {
        trial in
        try await trial.lease { _ in
            for store in [trial.store, trial.other] {
                let waiter = Task { try await store.withLease(trial.key, deadline: .seconds(3600)) { _ in } }
                // To give the waiter time to start waiting.
                for _ in 0..<10 { await Task.yield() }
                waiter.cancel()
                let end = try await trial.soon("A cancelled task") { await waiter.result }
                guard case .failure(is CancellationError) = end else {
                    throw StoreTrial.Finding("A cancelled task ended with \(end).")
                }
            }
        }
        try await trial.put("free again", in: trial.other)
    }

    static let failing = Self("an error of the body comes out as it is, and frees the key") { trial in
        struct Own: Error {}
        do {
            try await trial.lease { _ in throw Own() }
            throw StoreTrial.Finding("The error did not come out.")
        } catch is Own {}
        try await trial.put("free again", in: trial.other)
    }

    static let ended = Self("a lease is of no use after its transaction") { trial in
        let lease = try await trial.lease { $0 }
        try await trial.expect(.invalidArgument, "A load after the transaction") { _ = try await lease.load() }
        try await trial.expect(.invalidArgument, "A reservation after the transaction") { try await lease.reserve() }
        try await trial.expect(.invalidArgument, "A save after the transaction") {
            _ = try await lease.save(Data("late".utf8), expecting: nil)
        }
        try await trial.expect(.invalidArgument, "A delete after the transaction") {
            try await lease.delete(expecting: nil)
        }
        try await trial.expect(nil, "after a transaction without a save")
    }

    static let cancelledSaving = Self("a save is finished although its task is cancelled") { trial in
        try await Task {
            try await trial.lease { lease in
                try await lease.reserve()
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await lease.save(Data("redeemed".utf8), expecting: nil)
            }
        }.value
        try await trial.expect("redeemed", "after a save in a cancelled task")
        try await trial.put("free again", in: trial.other)
    }

    static let watching = Self("a watch shows every change, where the store gives one") { trial in
        // Some stores can watch only an existing state.
        try await trial.put("one")
        guard let watch = await trial.store.watch(trial.key) else { return }
        func expectAlarm(_ change: () async throws -> Void) async throws {
            let before = watch.generation
            try await change()
            let end = ContinuousClock.now + trial.patience
            while watch.generation == before {
                try trial.require(ContinuousClock.now < end, "A change did not show.")
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        for store in watch.showsOtherProcesses ? [trial.store, trial.other] : [trial.store] {
            try await expectAlarm { try await trial.put("two", in: store) }
            try await expectAlarm {
                try await store.withLease(trial.key, deadline: trial.patience) { try await $0.discard() }
            }
        }
    }
}
