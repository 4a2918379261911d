import AuthStateLibc
import Dispatch

extension Connection {
    /// Connects and listens; the stream has the keys that changed, and fails when the connection breaks.
    ///
    /// No thread waits: the queue that this actor runs on is called when something arrives.
    func listen() throws -> AsyncThrowingStream<[String], any Error> {
        guard try execute([Self.triggers])[0].first?.text(0) == "2" else {
            throw PostgresFailure(cause: .refused, message: "the triggers of the schema are not on auth_states")
        }
        _ = try execute([Statement(.reading, "LISTEN auth_states")])
        // A descriptor of its own: the source may use it until its cancellation handler has run.
        let descriptor = try dup(openSession().socket)
        guard descriptor >= 0 else { throw PostgresFailure(cause: .busy, message: "too many files are open") }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: executor.queue)
        source.setCancelHandler { close(descriptor) }
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: [String].self)
        source.setEventHandler { [weak self] in
            // The source calls on this actor's own queue.
            self?.assumeIsolated { connection in
                do { continuation.yield(try connection.notifications()) } catch { continuation.finish(throwing: error) }
            }
        }
        let cancellation = SourceCancellation(source)
        continuation.onTermination = { _ in cancellation.cancel() }
        source.resume()
        return stream
    }

    /// Queries the server to check the connection, and returns the keys that changed meanwhile.
    func check() throws -> [String] {
        _ = try execute([Statement(.reading, "SELECT ''", columns: 1)])
        return try notifications()
    }

    private static let triggers = Statement(
        .reading,
        """
        SELECT count(*)::text FROM pg_trigger
        WHERE tgrelid = to_regclass('auth_states') AND tgenabled <> 'D'
            AND tgname IN ('auth_states_changed', 'auth_states_removed')
        """, columns: 1)
}

/// Cancels a source from any thread.
// Unchecked: `cancel` is a thread-safe call of libdispatch, and no other call uses the source.
private struct SourceCancellation: @unchecked Sendable {
    private let source: any DispatchSourceRead

    init(_ source: any DispatchSourceRead) { self.source = source }

    func cancel() { source.cancel() }
}
