#if os(Linux)
    import AuthStateLibc
    import CAuthStateCurl

    /// The sockets and the time that libcurl waits for, as it last said; lives on the loop's thread alone.
    ///
    /// libcurl is called for the sockets that are ready. Its simpler interface, `curl_multi_perform`, looks at every exchange
    /// each time, with a system call for each.
    final class CurlSockets {
        private let multi: UnsafeMutableRawPointer
        /// The bell is the first.
        private var polled: [pollfd]
        private var places: [Int32: Int] = [:]
        private var due: ContinuousClock.Instant?
        private let clock = ContinuousClock()

        /// Listens to what libcurl waits for, and to a descriptor that wakes the loop.
        init(of multi: UnsafeMutableRawPointer, bell: Int32) {
            self.multi = multi
            polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
            AuthStateCurlMultiSetCallbacks(
                multi, Unmanaged.passUnretained(self).toOpaque(),
                { _, socket, events, context, _ in
                    if let context { CurlSockets.from(context).watch(socket, Int(events)) }
                    return 0
                },
                { _, milliseconds, context in
                    if let context { CurlSockets.from(context).setTimer(milliseconds) }
                    return 0
                })
        }

        private static func from(_ context: UnsafeMutableRawPointer) -> CurlSockets {
            Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue()
        }

        /// Waits until there is something to do, at most a minute or until the given end, and lets libcurl do it; returns
        /// whether the bell rang.
        func waitAndAct(until end: ContinuousClock.Instant?) -> Bool {
            let count = poll(&polled, nfds_t(polled.count), timeout(end))
            if let due, clock.now >= due {
                // libcurl says anew when it wants to be called next.
                self.due = nil
                AuthStateCurlMultiAct(multi, Int32(AuthStateCurl_CURL_SOCKET_TIMEOUT), 0)
            }
            guard count > 0 else { return false }
            // A copy: libcurl changes the list as it works.
            for ready in polled.dropFirst() where ready.revents != 0 {
                AuthStateCurlMultiAct(multi, ready.fd, Self.action(ready.revents))
                // Closed without a word: it would be ready for ever.
                if Int32(ready.revents) & POLLNVAL != 0 { forget(ready.fd) }
            }
            return polled[0].revents != 0
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

        private func watch(_ socket: Int32, _ wanted: Int) {
            guard wanted != AuthStateCurl_CURL_POLL_REMOVE else { return forget(socket) }
            var events: Int32 = 0
            if wanted & AuthStateCurl_CURL_POLL_IN != 0 { events |= POLLIN }
            if wanted & AuthStateCurl_CURL_POLL_OUT != 0 { events |= POLLOUT }
            let entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            if let place = places[socket] {
                polled[place] = entry
            } else {
                places[socket] = polled.count
                polled.append(entry)
            }
        }

        private func forget(_ socket: Int32) {
            guard let place = places.removeValue(forKey: socket), let last = polled.popLast(), last.fd != socket else {
                return
            }
            polled[place] = last
            places[last.fd] = place
        }

        private func setTimer(_ milliseconds: Int) {
            due = milliseconds < 0 ? nil : clock.now + .milliseconds(milliseconds)
        }
    }
#endif
