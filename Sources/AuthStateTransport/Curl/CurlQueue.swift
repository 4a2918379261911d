#if os(Linux)
    /// The exchanges with each host, in progress and waiting for one of those to end: a value without effects.
    ///
    /// libcurl has a queue of its own for exchanges without a connection. In 7.88 the last one in it can lose its turn until
    /// a timer comes, ten seconds later; and each step of libcurl's looks at all that wait.
    struct CurlQueue {
        struct Waiting {
            let exchange: TransportExchange
            let since = ContinuousClock.now
            /// The end of the exchange's time.
            var end: ContinuousClock.Instant { since + .milliseconds(exchange.request.timeoutMilliseconds) }

            init(_ exchange: TransportExchange) { self.exchange = exchange }
        }

        private struct Lane {
            var count = 0
            var waiting: ArraySlice<Waiting> = []
        }

        private let connections: Int
        private var lanes: [String: Lane] = [:]
        /// The hosts that answered by HTTP/2, where one connection carries many exchanges.
        private var multiplexing: Set<String> = []
        /// The time at which the time of one that waits ends; that one may have had its turn since. Nil when none waits.
        private(set) var firstEnd: ContinuousClock.Instant?

        /// The number of exchanges that servers commonly allow on a connection of HTTP/2 (RFC 9113, section 6.5.2).
        private static let streams = 100
        /// More hosts than a program talks to at once.
        private static let knownHosts = 1_000

        init(connections: Int) { self.connections = connections }

        /// Counts an exchange that starts; false lets it wait.
        mutating func start(_ exchange: TransportExchange, with host: String) -> Bool {
            guard lanes[host]?.count ?? 0 < limit(host) else {
                let waiting = Waiting(exchange)
                lanes[host]?.waiting.append(waiting)
                firstEnd = min(firstEnd ?? waiting.end, waiting.end)
                return false
            }
            lanes[host, default: Lane()].count += 1
            return true
        }

        /// Ends the count of an exchange. Call `next(for:)` afterwards.
        mutating func end(with host: String) { lanes[host]?.count -= 1 }

        /// Counts and returns an exchange that has waited and may start; nil when there is none.
        mutating func next(for host: String) -> Waiting? {
            while let count = lanes[host]?.count, count < limit(host), let next = lanes[host]?.waiting.popFirst() {
                // A caller may have been cancelled meanwhile.
                if next.exchange.isFinished { continue }
                lanes[host]?.count += 1
                return next
            }
            if let lane = lanes[host], lane.count == 0, lane.waiting.isEmpty { lanes[host] = nil }
            return nil
        }

        /// Removes and returns those that have waited all their time.
        mutating func removeExpired(at now: ContinuousClock.Instant) -> [TransportExchange] {
            guard let firstEnd, firstEnd <= now else { return [] }
            var expired: [TransportExchange] = []
            for host in lanes.keys {
                expired += lanes[host]?.waiting.filter { $0.end <= now }.map(\.exchange) ?? []
                lanes[host]?.waiting.removeAll { $0.end <= now }
            }
            self.firstEnd = lanes.values.lazy.flatMap(\.waiting).map(\.end).min()
            return expired
        }

        mutating func noteMultiplexing(_ host: String) {
            if multiplexing.count >= Self.knownHosts { multiplexing = [] }
            multiplexing.insert(host)
        }

        var waiting: [TransportExchange] { lanes.values.flatMap { $0.waiting.map(\.exchange) } }

        private func limit(_ host: String) -> Int {
            multiplexing.contains(host) ? max(connections, Self.streams) : connections
        }
    }
#endif
