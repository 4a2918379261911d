import AuthStateJOSE
import AuthStateKit
import AuthStateStorage
import AuthStateTesting
import Foundation
import Testing

/// A folder of a test's own; removed when the test releases it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let name = "authstate-\(UInt64.random(in: 0...UInt64.max))"
        path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    subscript(name: String) -> String { "\(path)/\(name)" }

    func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }

    /// The number of this process's descriptors that lead into the folder.
    func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target?.hasPrefix(path) == true
        }
    }
}

/// A clock on which a wait is over at once, and the time is then what was waited for.
final class JumpingClock: Clock {
    typealias Duration = Swift.Duration

    struct Instant: InstantProtocol {
        var offset = Duration.zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Lock((now: Instant(), waits: [Duration]()))

    var now: Instant { time.withLock { $0.now } }
    var waits: [Duration] { time.withLock { $0.waits } }
    let minimumResolution = Duration.zero

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { time in
            time.waits.append(time.now.duration(to: deadline))
            time.now = max(time.now, deadline)
        }
        await Task.yield()
    }
}

extension ManualClock {
    /// Moves on in steps of a second until the task has ended.
    func advance<R>(until task: Task<R, any Error>) async throws {
        let isOver = Lock(false)
        let watcher = Task {
            _ = await task.result
            isOver.withLock { $0 = true }
        }
        try await eventually {
            advance(by: .seconds(1))
            return isOver.withLock { $0 }
        }
        await watcher.value
    }
}

extension AuthStateStore {
    /// Adds one to the number that the archive is, as a transaction.
    func increment(_ key: AuthStateKey) async throws {
        try await withLease(key, deadline: .seconds(60)) { lease in
            let stored = try await lease.load()
            let number =
                stored.flatMap { Int(AuthStateKitTests.text($0.archive).trimmingCharacters(in: .newlines)) } ?? 0
            try await lease.reserve()
            _ = try await lease.save(Data("\(number + 1)".utf8), expecting: stored?.version)
        }
    }

    /// Replaces the stored archive.
    @discardableResult
    func put(_ content: String, _ key: AuthStateKey = .default) async throws -> StoredAuthState.Version {
        try await withLease(key, deadline: .seconds(10)) { lease in
            try await lease.save(Data(content.utf8), expecting: try await lease.load()?.version)
        }
    }

    func text(_ key: AuthStateKey = .default) async throws -> String? {
        try await load(key).map { AuthStateKitTests.text($0.archive) }
    }
}

func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

/// Expects an error of the store with this code and gives it back.
@discardableResult
func expectStoreError(
    _ code: AuthStateError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async throws -> AuthStateError {
    let error = await #expect(throws: AuthStateError.self, sourceLocation: sourceLocation) { try await body() }
    let found = try #require(error, sourceLocation: sourceLocation)
    #expect(found.code == code, sourceLocation: sourceLocation)
    #expect(found.stage == .store && found.hint != nil, sourceLocation: sourceLocation)
    return found
}
