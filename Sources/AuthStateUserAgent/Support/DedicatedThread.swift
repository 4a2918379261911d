import AuthStateLibc
package import AuthStateSystem

/// Work that blocks, on a thread of its own: the pool behind `async` has one thread a core and must never wait.
package enum DedicatedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a detached thread; nothing waits for its end.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        let context = Unmanaged.passRetained(Work(body)).toOpaque()
        let code = detach(context)
        guard code == 0 else {
            Unmanaged<Work>.fromOpaque(context).release()
            throw SystemCallError("pthread_create", code: code)
        }
    }

    private static func detach(_ context: UnsafeMutableRawPointer) -> Int32 {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, threadMain, context)
        #if canImport(Darwin)
            if code == 0, let thread { pthread_detach(thread) }
        #else
            if code == 0 { pthread_detach(thread) }
        #endif
        return code
    }
}

#if canImport(Darwin)
    private func threadMain(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        DedicatedThread.run(context)
        return nil
    }
#else
    private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { DedicatedThread.run(context) }
        return nil
    }
#endif

extension DedicatedThread {
    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
}
