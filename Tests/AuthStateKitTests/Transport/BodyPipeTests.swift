import Foundation
import Testing

@testable import AuthStateTransport

struct BodyPipeTests {
    private let pipe = BodyPipe()
    private let half = Data(count: BodyPipe.limit / 2)

    /// Takes two halves, after which the pipe is full, and returns a reader that waits for more than that.
    private func waitingReader(for count: Int) async -> Task<Data?, any Error> {
        let (room, feed) = AsyncStream<Void>.makeStream()
        pipe.onRoom { feed.yield() }
        #expect(pipe.take(half) && !pipe.take(half) && !pipe.hasRoom)
        let reader = Task { try await pipe.next(atLeast: count) }
        for await _ in room { break }
        return reader
    }

    @Test(.timeLimit(.minutes(5)))
    func `a reader that waits for much more than is read ahead gets it as one piece`() async throws {
        let reader = await waitingReader(for: 2 * BodyPipe.limit)
        #expect(pipe.hasRoom)
        for count in [0, 1, 2 * BodyPipe.limit] {
            await #expect(throws: TransportError.self) { try await pipe.next(atLeast: count) }
        }
        #expect(pipe.take(half) && half.withUnsafeBytes(pipe.take(copying:)))
        #expect(try await reader.value?.count == 2 * BodyPipe.limit)
        #expect(pipe.take(half) && !pipe.take(half))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a body that ends before has a last piece, and then its failure`() async throws {
        let reader = await waitingReader(for: .max)
        #expect(pipe.take(Data("x".utf8)))
        pipe.finish(.failure(CancellationError()))
        #expect(try await reader.value == half + half + Data("x".utf8))
        await #expect(throws: CancellationError.self) { try await pipe.next(atLeast: .max) }
    }
}
