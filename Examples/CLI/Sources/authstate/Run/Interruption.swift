import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Hears SIGINT and SIGTERM: the first is for an orderly end, the second ends the program at once.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ onFirst: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the program before anybody could be told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                onFirst()
            }
            source.resume()
            return source
        }
    }

    /// Leaves the signals to the system again.
    func stop() {
        for source in sources { source.cancel() }
    }
}
