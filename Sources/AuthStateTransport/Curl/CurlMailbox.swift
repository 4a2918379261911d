#if os(Linux)
    import AuthStateJOSE
    import AuthStateLibc
    import CAuthStateCurl

    /// Carries commands to the thread that owns libcurl's handles, and wakes it.
    final class CurlMailbox: Sendable {
        enum Command: Sendable {
            case start(TransportExchange)
            case cancel(TransportExchange)
            /// The reader of a stream that was paused has room again, or the body of a request has another piece.
            case resume(TransportExchange)
            case stop
        }

        /// Readable while commands wait.
        let bell: Int32
        private let commands = Lock<[Command]>([])

        init() throws {
            bell = AuthStateCurlOpenBell()
            guard bell >= 0 else { throw Self.noDescriptor }
        }

        static let noDescriptor = TransportError(
            .unreachable, "No descriptor is left for the HTTP transport: close some, or raise the limit (ulimit -n).",
            requestMayHaveBeenSent: false)

        deinit { close(bell) }

        func post(_ command: Command) {
            let wasEmpty = commands.withLock { commands in
                commands.append(command)
                return commands.count == 1
            }
            // The thread takes all commands at once: only the first one has to wake it.
            if wasEmpty {
                var one: UInt64 = 1
                _ = write(bell, &one, 8)
            }
        }

        func takeAll() -> [Command] {
            commands.withLock { commands in
                defer { commands = [] }
                return commands
            }
        }

        /// Makes the bell silent; call it before `takeAll`, so that no ring is lost.
        func silence() {
            var count: UInt64 = 0
            _ = read(bell, &count, 8)
        }
    }
#endif
