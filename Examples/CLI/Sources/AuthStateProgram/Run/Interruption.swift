import AuthStatePlatform
import Dispatch

/// Handles SIGINT and SIGTERM: the first one cancels the work, the second one ends the program at once.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ onFirst: @escaping @Sendable () -> Void) {
        // The terminal's SIGINT is for the program that has the proxy: the proxy ends with it.
        let isForChild = CommandLine.arguments.prefix { $0 != "--" }.contains(ProxyChild.option)
        if isForChild { signal(SIGINT, SIG_IGN) }
        sources = (isForChild ? [SIGTERM] : [SIGINT, SIGTERM]).map { number in
            // The default action would end the program before the handler runs.
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

    /// Restores the system's handling of the signals.
    func stop() { for source in sources { source.cancel() } }
}
