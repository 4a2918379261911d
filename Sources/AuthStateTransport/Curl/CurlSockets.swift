#if os(Linux)
    import AuthStateLibc
    import CAuthStateCurl

    /// The sockets and the time that libcurl waits for, as it last said; lives on the loop's thread alone.
    ///
    /// libcurl is called for the sockets that are ready. Its simpler interface, `curl_multi_perform`, looks at every exchange
    /// each time, with a system call for each.
    final class CurlSockets {
        private let multi: UnsafeMutableRawPointer
        private let bell: Int32
        /// Watches the sockets (epoll): `poll` looks through a list of all at each wait.
        private let descriptor: Int32
        private var wanted: [Int32: Interest] = [:]
        /// Whether a socket had something to read after the last wait.
        private(set) var hasRead = false
        private var ready = [pollfd](repeating: pollfd(), count: 64)
        private var due: ContinuousClock.Instant?
        private let clock = ContinuousClock()

        /// What libcurl waits for at a socket.
        private struct Interest {
            let events: Int16
            /// Whether the socket will be reported. It is once, so that one that was closed, and lives on in a child process, is no
            /// longer afterwards: it could not be removed by its number, which may be that of another socket.
            var isWatched = false
        }

        /// Listens to what libcurl waits for, and to a descriptor that wakes the loop; nil when no descriptor is left.
        init?(of multi: UnsafeMutableRawPointer, bell: Int32) {
            (self.multi, self.bell) = (multi, bell)
            descriptor = AuthStateCurlOpenWatch()
            guard descriptor >= 0, AuthStateCurlWatchBell(descriptor, bell) == 0 else { return nil }
            AuthStateCurlMultiSetCallbacks(
                multi, Unmanaged.passUnretained(self).toOpaque(),
                { _, socket, events, context, _ in
                    if let context { CurlSockets.from(context).want(socket, Int(events)) }
                    return 0
                },
                { _, milliseconds, context in
                    if let context { CurlSockets.from(context).setTimer(milliseconds) }
                    return 0
                })
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        private static func from(_ context: UnsafeMutableRawPointer) -> CurlSockets {
            Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue()
        }

        /// Waits until there is something to do, at most a minute or until the given end, and lets libcurl do it; returns
        /// whether the bell rang.
        func waitAndAct(until end: ContinuousClock.Instant?) -> Bool {
            let count = AuthStateCurlAwait(descriptor, &ready, Int32(ready.count), timeout(end))
            hasRead = false
            if let due, clock.now >= due {
                // libcurl says anew when it wants to be called next.
                self.due = nil
                AuthStateCurlMultiAct(multi, Int32(AuthStateCurl_CURL_SOCKET_TIMEOUT), 0)
            }
            var hasRung = false
            for ready in ready.prefix(max(0, Int(count))) {
                let action = Self.action(ready.revents)
                if ready.fd == bell {
                    hasRung = true
                    continue
                }
                if action & AuthStateCurl_CURL_CSELECT_IN != 0 { hasRead = true }
                if wanted[ready.fd] != nil {
                    wanted[ready.fd]?.isWatched = false
                    AuthStateCurlMultiAct(multi, ready.fd, action)
                    watch(ready.fd)
                }
            }
            return hasRung
        }

        /// The time until libcurl wants to be called, or until the given end, in milliseconds, rounded up.
        private func timeout(_ end: ContinuousClock.Instant?) -> Int32 {
            guard let first = [due, end].compactMap(\.self).min() else { return 60_000 }
            let left = clock.now.duration(to: first)
            return left > .zero ? Int32(min(left.wholeMilliseconds, 60_000)) : 0
        }

        /// What libcurl may do at a socket; at one that failed it finds the reason by trying.
        private static func action(_ events: Int16) -> Int {
            let events = Int32(events)
            var action = 0
            if events & (POLLIN | POLLHUP | POLLERR) != 0 { action |= AuthStateCurl_CURL_CSELECT_IN }
            if events & (POLLOUT | POLLERR) != 0 { action |= AuthStateCurl_CURL_CSELECT_OUT }
            return action
        }

        private func want(_ socket: Int32, _ wanted: Int) {
            guard wanted != AuthStateCurl_CURL_POLL_REMOVE else {
                self.wanted[socket] = nil
                return
            }
            var events: Int32 = 0
            if wanted & AuthStateCurl_CURL_POLL_IN != 0 { events |= POLLIN }
            if wanted & AuthStateCurl_CURL_POLL_OUT != 0 { events |= POLLOUT }
            self.wanted[socket] = Interest(events: Int16(events))
            watch(socket)
        }

        /// Watches a socket that has just been opened, where libcurl has closed another of that number without a word (7.88): it then
        /// says nothing when it waits for the same at both.
        func watchAgain(_ socket: Int32) {
            wanted[socket]?.isWatched = false
            watch(socket)
        }

        private func watch(_ socket: Int32) {
            guard let interest = wanted[socket], !interest.isWatched else { return }
            AuthStateCurlWatchOnce(descriptor, socket, interest.events)
            wanted[socket]?.isWatched = true
        }

        private func setTimer(_ milliseconds: Int) {
            due = milliseconds < 0 ? nil : clock.now + .milliseconds(milliseconds)
        }
    }
#endif
