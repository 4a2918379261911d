import AuthStateJOSE
import Foundation
import Testing

@testable import AuthStateTransport

@Suite(.timeLimit(.minutes(1))) struct UploadPipeTests {
    private func take(_ pipe: UploadPipe, upTo count: Int = 100) -> UploadPipe.Supply {
        var buffer = [UInt8](repeating: 0, count: count)
        return buffer.withUnsafeMutableBytes { pipe.take(into: $0) }
    }

    @Test func `the source is asked for a piece when the one before was taken`() async throws {
        let reads = Lock(0)
        let (wakes, wake) = AsyncStream<Void>.makeStream()
        let pipe = UploadPipe(count: 20)
        #expect(take(pipe) == .later && pipe.isStarved)
        pipe.start(
            StreamedBody {
                reads.withLock { $0 += 1 }
                return reads.withLock { $0 } > 2 ? nil : Data(count: 10)
            }, wake: { wake.yield() }, fail: { _ in })
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
        #expect(take(pipe, upTo: 6) == .bytes(6) && !pipe.isStarved)
        #expect(reads.withLock { $0 } == 1)
        #expect(take(pipe) == .bytes(4))
        try await eventually { reads.withLock { $0 } == 2 }
        try await eventually { take(pipe) == .bytes(10) }
        try await eventually { take(pipe) == .end }
        #expect(!pipe.isStarved)
    }

    @Test func `a body that was stopped has no end, and its source is cancelled`() async throws {
        let isCancelled = Lock(false)
        let (pieces, sink) = AsyncStream<Data>.makeStream()
        sink.onTermination = { end in if case .cancelled = end { isCancelled.withLock { $0 = true } } }
        let pipe = UploadPipe(count: nil)
        pipe.start(
            StreamedBody {
                var iterator = pieces.makeAsyncIterator()
                return await iterator.next()
            }, wake: {}, fail: { _ in })
        sink.yield(Data(count: 10))
        try await eventually { take(pipe) == .bytes(10) }
        sink.yield(Data(count: 10))
        pipe.stop()
        try await eventually { isCancelled.withLock { $0 } }
        // The task that has read the end has noted it by then, or never will.
        for _ in 0..<100 {
            await Task.yield()
            #expect(take(pipe) == .later && !pipe.isStarved)
        }
    }
}
