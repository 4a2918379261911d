import AuthStateFoundation
import AuthStateKit
import AuthStateStorage

extension AuthStateStoreContract.Check {
    static let loading = Self("what was saved is loaded with its version, and under its own key alone") { trial in
        try trial.require(try await trial.store.load(trial.key) == nil, "Something is stored from the beginning.")
        let version = try await trial.put("one")
        for store in [trial.store, trial.other] {
            let stored = try await store.load(trial.key)
            try trial.require(
                stored == StoredAuthState(archive: Data("one".utf8), version: version),
                "Loaded \(stored.map { "\($0), version \($0.version.rawValue)" } ?? "nothing"), saved \(version.rawValue)."
            )
        }
        try await trial.expect(nil, "under another key", trial.key("other"))
    }

    static let keys = Self("keys are the same when their bytes are") { trial in
        let names = [
            "", " ", "\0", "a\0b", "a\0c", "../x", "/x", "x'; DROP TABLE auth_states; --", "$1", "%", "é\n",
            "caf\u{E9}", "cafe\u{301}", "CAF\u{C9}", "cafe", "ключ", "👩‍💻", "K", "k",
            String(repeating: "long", count: 25_000),
        ]
        for (number, name) in names.enumerated() { try await trial.put("\(number)", trial.key(name)) }
        for (number, name) in names.enumerated() {
            try await trial.expect("\(number)", "under the key \(name.prefix(40).debugDescription)", trial.key(name))
        }
    }

    static let archives = Self("archives of any bytes come back as they were") { trial in
        for size in [1, 2000, 100_000] {
            let archive = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await trial.lease { lease in
                _ = try await lease.save(archive, expecting: try await lease.load()?.version)
            }
            let found = try await trial.other.load(trial.key)?.archive
            try trial.require(found == archive, "Of \(size) bytes came back \(found?.count ?? 0), or others.")
        }
    }

    static let savingOver = Self("a save over another version than it expects is a conflict, and changes nothing") {
        trial in
        let old = try await trial.put("one")
        let new = try await trial.put("two")
        try trial.require(old != new, "Two contents have one version.")
        try await trial.lease { lease in
            for version in [old, nil, .foreign] as [StoredAuthState.Version?] {
                try await trial.expect(.storeConflict, "A save over another version") {
                    _ = try await lease.save(Data("three".utf8), expecting: version)
                }
            }
        }
        try await trial.expect("two", "after conflicts")
    }

    static let savingLast = Self("the last save of a transaction is a save, and the next holder finds it") { trial in
        let old = try await trial.put("one")
        try await trial.lease { lease in
            let version = try await lease.saveLast(Data("one and a half".utf8), expecting: old)
            try trial.require(version != old, "Two contents have one version.")
            _ = try await lease.saveLast(Data("two".utf8), expecting: version)
        }
        try await trial.expect("two", "after two last saves of one transaction")
        try await trial.lease { lease in
            try await trial.expect(.storeConflict, "A last save over another version") {
                _ = try await lease.saveLast(Data("three".utf8), expecting: old)
            }
            let found = try await lease.load()
            _ = try await lease.saveLast(Data("four".utf8), expecting: found?.version)
        }
        try await trial.expect("four", "after the last save of the next holder")
    }

    static let deletingOver = Self("a delete of another version than it expects is a conflict, and changes nothing") {
        trial in
        let old = try await trial.put("one")
        try await trial.put("two")
        try await trial.lease { lease in
            for version in [old, nil, .foreign] as [StoredAuthState.Version?] {
                try await trial.expect(.storeConflict, "A delete of another version") {
                    try await lease.delete(expecting: version)
                }
            }
        }
        try await trial.expect("two", "after conflicts")
    }

    static let deleting = Self(
        "what was deleted is gone: to delete it again is no error, to save over it is a conflict"
    ) { trial in
        let version = try await trial.put("one")
        try await trial.lease { lease in
            for expected in [version, version, nil] { try await lease.delete(expecting: expected) }
            try await trial.expect(.storeConflict, "A save over what was deleted") {
                _ = try await lease.save(Data("two".utf8), expecting: version)
            }
        }
        try await trial.expect(nil, "after a delete")
        try await trial.put("three")
        try await trial.expect("three", "after another save")
    }

    static let reserving = Self("a reservation changes nothing that is stored") { trial in
        try await trial.lease { try await $0.reserve() }
        try await trial.expect(nil, "after a reservation")
        let version = try await trial.put("one")
        try await trial.lease { lease in
            try await lease.reserve()
            try await lease.reserve()
            try trial.require(try await lease.load()?.version == version, "A reservation changed the version.")
        }
        let stored = try await trial.other.load(trial.key)
        try trial.require(
            stored == StoredAuthState(archive: Data("one".utf8), version: version),
            "A reservation changed what is stored.")
    }

    static let discarding = Self("whatever is stored can be discarded, and nothing stored is no error") { trial in
        try await trial.lease { try await $0.discard() }
        try await trial.put("one")
        try await trial.lease { lease in
            try await lease.discard()
            try await lease.discard()
        }
        try await trial.expect(nil, "after it was discarded")
    }

    static let listing = Self("a listed state has its version, and its key leads to it") { trial in
        let before = Date.distantPast
        let version = try await trial.put("listed")
        for store in [trial.store, trial.other] {
            let entries: [AuthStateEntry]
            do { entries = try await store.entries(savedBefore: .distantFuture) } catch let error as AuthStateError {
                // A store may refuse to list.
                return try trial.require(error.code == .invalidArgument, "A list should not end with \(error).")
            }
            // The storage may hold other states, also under the same version.
            var found = 0
            for entry in entries where entry.version == version {
                if try await store.load(entry.key)?.archive == Data("listed".utf8) { found += 1 }
            }
            try trial.require(found == 1, "A saved state is \(found) times in the list.")
            let early = try await store.entries(savedBefore: before)
            try trial.require(early.isEmpty, "The list has states that were saved after the moment.")
        }
        try await trial.lease { try await $0.discard() }
        let left = try await trial.other.entries(savedBefore: .distantFuture)
        try trial.require(!left.contains { $0.version == version }, "A deleted state is in the list.")
    }
}

extension StoredAuthState.Version {
    /// A version that no store assigns.
    fileprivate static let foreign = Self(rawValue: "'; DROP TABLE auth_states; --")
}
