import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct InMemoryWatchTests {
    @Test func `a save and a removal show at once, a reading and a transaction without change do not`() async throws {
        let store = InMemoryAuthStateStore()
        let watch = try #require(await store.watch("a"))
        let empty = watch.generation
        #expect(watch.generation == empty)
        try await store.put("one", "a")
        let saved = watch.generation
        #expect(saved != empty)
        _ = try await store.load("a")
        try await store.withLease("a", deadline: .seconds(1)) { lease in
            _ = try await lease.load()
            try await lease.reserve()
        }
        #expect(watch.generation == saved)
        try await store.withLease("a", deadline: .seconds(1)) { try await $0.delete(expecting: $0.load()?.version) }
        #expect(watch.generation != saved)
    }

    @Test func `hardly one of a hundred other keys and stores disturbs a watch`() async throws {
        let (store, other) = (InMemoryAuthStateStore(), InMemoryAuthStateStore())
        let watch = try #require(await store.watch("a"))
        var alarms = 0
        for number in 0..<50 {
            let before = watch.generation
            try await store.put("one", AuthStateKey(rawValue: "\(number)"))
            try await other.put("one", AuthStateKey(rawValue: number == 0 ? "a" : "\(number)"))
            if watch.generation != before { alarms += 1 }
        }
        #expect(alarms <= 2)
    }
}

#if os(Linux)
    @Suite(.timeLimit(.minutes(5))) struct FileWatchTests {
        let scratch: ScratchFolder
        let store: FileAuthStateStore

        init() throws {
            scratch = try ScratchFolder()
            store = FileAuthStateStore(file: scratch["state"])
        }

        private func expectAlarm(
            _ watch: any AuthStateWatch, _ location: SourceLocation = #_sourceLocation,
            _ change: () async throws -> Void
        ) async throws {
            let before = watch.generation
            try await change()
            #expect(try await comesTrue { watch.generation != before }, sourceLocation: location)
        }

        /// Whether a condition comes true: a tick of the clock is a few milliseconds, a busy machine takes longer.
        private func comesTrue(_ condition: () -> Bool) async throws -> Bool {
            let end = ContinuousClock.now + .seconds(30)
            while !condition() {
                if ContinuousClock.now > end { return false }
                await Task.yield()
            }
            return true
        }

        /// Waits until the kernel's earlier events have been counted.
        private func settle(_ watch: any AuthStateWatch) async throws {
            let marker = "marker-\(UInt64.random(in: 0...UInt64.max))"
            let neighbour = try #require(await FileAuthStateStore(file: scratch[marker]).watch(.default))
            try await expectAlarm(neighbour) { try write("", marker) }
        }

        private func write(_ content: String, _ name: String) throws {
            try Data(content.utf8).write(to: URL(fileURLWithPath: scratch[name]))
        }

        @Test(
            "every change that another process makes to the file shows",
            arguments: [
                #"echo new > "$0.other" && mv "$0.other" "$0""#, #"rm "$0""#, #"mv "$0" "$0.away""#,
                #"echo garbage > "$0""#,
                #"echo more >> "$0""#, #"ln -sf elsewhere "$0""#, #"rm "$0" && mkdir "$0""#,
            ])
        func otherProcess(command: String) async throws {
            try await store.put("one")
            let watch = try #require(await store.watch(.default))
            try await settle(watch)
            try await expectAlarm(watch) {
                let code = try run("/bin/sh", "-c", command, scratch["state"])
                #expect(code == 0)
            }
        }

        @Test func `a file that comes into being, a save and a removal show`() async throws {
            let watch = try #require(await store.watch(.default))
            try await expectAlarm(watch) { try await store.put("one") }
            try await settle(watch)
            try await expectAlarm(watch) { try await store.put("two") }
            try await settle(watch)
            try await expectAlarm(watch) {
                try await store.withLease(.default, deadline: .seconds(1)) { lease in
                    try await lease.delete(expecting: try await lease.load()?.version)
                }
            }
        }

        @Test func `readings, locks and reservations are no alarm, nor is a change of another key`() async throws {
            let store = FileAuthStateStore(folder: scratch.path)
            try await store.put("one", "a")
            let watch = try #require(await store.watch("a"))
            try await settle(watch)
            var alarms = 0
            for number in 0..<20 {
                let before = watch.generation
                try await store.withLease("a", deadline: .seconds(1)) { lease in
                    _ = try await lease.load()
                    try await lease.reserve()
                }
                try await store.put("one", AuthStateKey(rawValue: "\(number)"))
                try await settle(watch)
                if watch.generation != before { alarms += 1 }
            }
            #expect(alarms <= 1)
        }

        @Test func `a link is watched where it leads to`() async throws {
            try FileManager.default.createDirectory(atPath: scratch["real"], withIntermediateDirectories: false)
            symlink("real/state", scratch["link"])
            let watch = try #require(await FileAuthStateStore(file: scratch["link"]).watch(.default))
            let direct = FileAuthStateStore(file: scratch["real/state"])
            try await expectAlarm(watch) { try await direct.put("one") }
        }

        @Test func `a folder that does not exist is not watched, and not created`() async throws {
            let store = FileAuthStateStore(folder: scratch["later"])
            #expect(await store.watch(.default) == nil)
            #expect(try scratch.names().isEmpty)
            try await store.put("one")
            let watch = try #require(await store.watch(.default))
            try await expectAlarm(watch) { try await store.put("two") }
        }

        @Test("a folder that is removed or renamed alarms, and again in each second", arguments: [true, false])
        func lostFolder(isRenamed: Bool) async throws {
            let store = FileAuthStateStore(folder: scratch["deep"])
            try await store.put("one")
            let watch = try #require(await store.watch(.default))
            try await settle(watch)
            try await expectAlarm(watch) {
                if isRenamed {
                    #expect(rename(scratch["deep"], scratch["other"]) == 0)
                } else {
                    try FileManager.default.removeItem(atPath: scratch["deep"])
                }
            }
            let lost = watch.generation
            try await eventually { watch.generation != lost }
            // The folder is made anew: a new watch hears of it, also under the number of the old one.
            try await store.put("two")
            let again = try #require(await store.watch(.default))
            try await expectAlarm(again) { try await store.put("three") }
        }

        @Test("watches share one descriptor and, in a folder, one place in the kernel; the last one gives it back")
        func sharing() async throws {
            let store = FileAuthStateStore(folder: scratch.path)
            func inotify() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                    return target?.contains("inotify") == true
                }
            }
            var status = stat()
            #expect(stat(scratch.path, &status) == 0)
            let inode = "ino:\(String(status.st_ino, radix: 16)) "
            func placesInKernel() throws -> Int {
                try inotify().reduce(0) { count, descriptor in
                    let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
                    return count + (info?.split(separator: "\n").count { $0.contains(inode) } ?? 0)
                }
            }
            var watches: [any AuthStateWatch] = []
            for number in 0..<500 {
                watches.append(try #require(await store.watch(AuthStateKey(rawValue: "\(number)"))))
            }
            // Another test has one of its own.
            #expect((1...2).contains(try inotify().count))
            #expect(try placesInKernel() == 1)
            watches.removeFirst(499)
            #expect(try placesInKernel() == 1)
            try await expectAlarm(watches[0]) { try await store.put("one", "499") }
            watches = []
            #expect(try placesInKernel() == 0)
        }

        @Test func `watches that begin and end at the same moment all hear of what comes after`() async throws {
            let store = FileAuthStateStore(folder: scratch.path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let key = AuthStateKey(rawValue: "\(number)")
                        for round in 0..<50 {
                            let watch = try #require(await store.watch(key))
                            if round.isMultiple(of: 10) {
                                try await expectAlarm(watch) { try await store.put("\(round)", key) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func `more events than the kernel keeps alarm every watch of a file`() async throws {
            // With a descriptor of its own, which nothing else empties.
            let file = try StateFile(resolving: scratch["state"], warnings: FileWarnings(report: nil))
            let watch = try #require(FileWatch(file, by: FolderWatching()))
            let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
            let count = try #require(Int(limit.trimmingCharacters(in: .newlines)))
            let before = watch.generation
            // Two names in turn: the kernel merges an event that equals the last one.
            let code = try run(
                "/bin/sh", "-c", #"i=0; while [ $i -lt "$1" ]; do : > "$0.a"; : > "$0.b"; i=$((i + 1)); done"#,
                scratch["neighbour"], "\(count / 2)")
            #expect(code == 0)
            #expect(try await comesTrue { watch.generation != before })
        }
    }
#endif
