import AuthStatePlatform
import Dispatch

/// Handles SIGINT and SIGTERM: the first one cancels the work, the second one ends the program at once.
struct Interruption {
    private typealias Handler = @convention(c) (Int32) -> Void

    private let watches: [(number: Int32, former: Handler?, source: any DispatchSourceSignal)]

    init(_ onFirst: @escaping @Sendable () -> Void) {
        // The terminal's SIGINT is for the program that has the proxy: the proxy ends with it.
        let isForChild = CommandLine.arguments.prefix { $0 != "--" }.contains(ProxyChild.option)
        if isForChild { signal(SIGINT, SIG_IGN) }
        watches = (isForChild ? [SIGTERM] : [SIGINT, SIGTERM]).map { number in
            // The default action would end the program before the handler runs.
            let former = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                onFirst()
            }
            source.resume()
            return (number, former, source)
        }
    }

    /// Restores the handling of the signals from before: by default they end the program, and after `trap ''` of a shell they do not.
    func stop() {
        for watch in watches {
            watch.source.cancel()
            signal(watch.number, watch.former)
        }
    }
}
