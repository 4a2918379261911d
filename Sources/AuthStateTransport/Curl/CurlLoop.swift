#if os(Linux)
    import AuthStateFoundation
    import AuthStateLibc
    import AuthStateOAuth
    import CAuthStateCurl

    /// The thread that drives libcurl: it alone touches the handles, and frees them when it is told to stop.
    final class CurlLoop {
        private let mailbox: CurlMailbox
        private let options: CurlTransfer.Options
        private var authorities: CurlAuthorities
        private let multi: UnsafeMutableRawPointer
        private let sockets: CurlSockets
        private var queue: CurlQueue
        private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
        /// The streams whose head has just come. Their callers are told when libcurl has read what came with it: one wake serves both.
        private var begun: [(transfer: CurlTransfer, head: TransportResponse)] = []
        /// The uploads that have been answered, maybe before the end of their body.
        private var answered: [CurlTransfer] = []
        /// The earliest end of the time for a stream's head; that head may have come since.
        private var firstHeadEnd: ContinuousClock.Instant?
        /// The number of streams in progress, whose connections do not count.
        private var streams = 0 {
            didSet {
                AuthStateCurlMultiSetLong(
                    multi, AuthStateCurl_CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnections + streams)
            }
        }
        private let maximumConnections: Int
        /// Handles at rest; making one anew costs more than resetting it.
        private var spareHandles: [UnsafeMutableRawPointer] = []
        private static let maximumSpareHandles = 16
        /// Without a number libcurl keeps four connections for each exchange in progress, and closes the others.
        private static let maximumIdleConnections = 256

        private init(
            multi: UnsafeMutableRawPointer, mailbox: CurlMailbox, configuration: CurlTransport.Configuration,
            authorities: Data?
        ) throws {
            self.multi = multi
            self.mailbox = mailbox
            guard let sockets = CurlSockets(of: multi, bell: mailbox.bell) else {
                AuthStateCurlMultiCleanup(multi)
                throw CurlMailbox.noDescriptor
            }
            self.sockets = sockets
            options = CurlTransfer.Options(configuration)
            self.authorities = CurlAuthorities(own: authorities)
            maximumConnections = max(1, configuration.maximumConnectionsPerHost)
            queue = CurlQueue(connections: maximumConnections)
            AuthStateCurlMultiSetLong(multi, AuthStateCurl_CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnections)
            AuthStateCurlMultiSetLong(multi, AuthStateCurl_CURLMOPT_MAXCONNECTS, Self.maximumIdleConnections)
        }

        deinit {
            spareHandles.forEach(AuthStateCurlEasyCleanup)
            AuthStateCurlMultiCleanup(multi)
        }

        /// Starts the thread; it ends after `.stop`.
        static func start(mailbox: CurlMailbox, configuration: CurlTransport.Configuration, authorities: Data?) throws {
            guard let multi = AuthStateCurlMultiInit() else { throw CurlFailure.outOfMemory }
            // The thread becomes the loop's only owner: no other reference is kept.
            let loop = Unmanaged.passRetained(
                try CurlLoop(multi: multi, mailbox: mailbox, configuration: configuration, authorities: authorities))
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { context in
                    CurlLoop.blockPipeSignal()
                    if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, loop.toOpaque())
            guard status == 0 else {
                loop.release()
                let message = "The HTTP transport's thread could not be started: \(String(cString: strerror(status)))."
                throw TransportError(.unreachable, message, requestMayHaveBeenSent: false)
            }
            pthread_detach(thread)
        }

        /// Blocks SIGPIPE: a server that hangs up must not end the process, and OpenSSL writes without MSG_NOSIGNAL.
        private static func blockPipeSignal() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        private func run() {
            var isRinging = true
            while true {
                if isRinging {
                    mailbox.silence()
                    for command in mailbox.takeAll() {
                        switch command {
                        case .start(let exchange): enqueue(exchange)
                        case .cancel(let exchange): cancel(exchange)
                        case .resume(let exchange):
                            transfers[ObjectIdentifier(exchange)]?.pause()
                        case .stop: return close()
                        }
                    }
                }
                isRinging = sockets.waitAndAct(until: [queue.firstEnd, firstHeadEnd].compactMap(\.self).min())
                let hasRead = sockets.hasRead || !begun.isEmpty
                endLate()
                for exchange in queue.removeExpired(at: .now) {
                    exchange.finish(.failure(CurlFailure.noConnection(for: exchange.request)))
                }
                makeRoom()
                finishEnded()
                if hasRead { release() }
            }
        }

        /// Tells the callers of streams whose head has come, and lets others use their places.
        private func makeRoom() {
            guard !begun.isEmpty else { return }
            let all = begun
            begun = []
            for begun in all { begun.transfer.exchange.begin(begun.head) }
            streams += all.count
            answered += all.map { $0.transfer }.filter { transfer in
                transfer.exchange.upload.map { $0.isStopped || !transfer.isMultiplexed } ?? false
            }
            for begun in all { leave(begun.transfer.host) }
        }

        /// Lets uploads end whose answer is whole. libcurl ends none whose sending is paused; it asks for bytes that do not come, and
        /// pauses again, as long as it has not the whole answer of a server that closes the connection. Called while none is over:
        /// libcurl before 7.69 crashes.
        private func release() {
            for transfer in answered where transfer.exchange.body?.hasRoom == true {
                if let upload = transfer.exchange.upload, upload.isStopped || upload.isStarved { transfer.pause() }
            }
        }

        /// Ends the streams whose head has not come in time.
        private func endLate() {
            guard let firstHeadEnd, firstHeadEnd <= .now else { return }
            for transfer in transfers.values where transfer.headEnd.map({ $0 <= .now }) ?? false {
                transfer.exchange.finish(.failure(CurlFailure.timedOut(transfer.exchange.request)))
                end(transfer)
            }
            self.firstHeadEnd = transfers.values.compactMap(\.headEnd).min()
        }

        /// Starts an exchange, as soon as its host has room for it.
        private func enqueue(_ exchange: TransportExchange) {
            let host = exchange.request.authority
            if queue.start(exchange, with: host), !start(exchange, with: host) { leave(host) }
        }

        /// Makes room for the exchanges that wait for a host.
        private func leave(_ host: String) {
            queue.end(with: host)
            while let next = queue.next(for: host) {
                let (exchange, waited) = (next.exchange, (ContinuousClock.now - next.since).wholeMilliseconds)
                if waited >= exchange.request.timeoutMilliseconds {
                    exchange.finish(.failure(CurlFailure.noConnection(for: exchange.request)))
                }
                if !start(exchange, with: host, spentMilliseconds: waited) { queue.end(with: host) }
            }
        }

        /// Starts an exchange; false when it has ended.
        private func start(
            _ exchange: TransportExchange, with host: String, searching search: CurlAuthorities.Search? = nil,
            spentMilliseconds: Int = 0
        ) -> Bool {
            guard !exchange.isFinished else { return false }
            guard let easy = spareHandles.popLast() ?? AuthStateCurlEasyInit() else {
                exchange.finish(.failure(CurlFailure.outOfMemory))
                return false
            }
            let transfer = CurlTransfer(
                exchange, with: host, easy: easy, search: search ?? authorities.first,
                spentMilliseconds: spentMilliseconds, onSocket: { [unowned self] in sockets.watchAgain($0) },
                onHead: { [unowned self] in begun.append(($0, $1)) })
            let code = transfer.apply(options, &authorities)
            guard code == AuthStateCurl_CURLE_OK, AuthStateCurlMultiAdd(multi, easy) == 0 else {
                exchange.finish(.failure(CurlFailure.setUp(code)))
                release(easy)
                return false
            }
            transfers[ObjectIdentifier(exchange)] = transfer
            firstHeadEnd = [firstHeadEnd, transfer.headEnd].compactMap(\.self).min()
            return true
        }

        private func finishEnded() {
            var code = AuthStateCurl_CURLE_OK
            while let easy = AuthStateCurlMultiNextDone(multi, &code) {
                guard let context = AuthStateCurlGetPointer(easy, AuthStateCurl_CURLINFO_PRIVATE) else { continue }
                let transfer = CurlTransfer.from(context)
                if code == AuthStateCurl_CURLE_PEER_FAILED_VERIFICATION, transfer.search == .folder,
                    transfer.mayBeStartedAgain
                {
                    searchSystem(after: transfer)
                    continue
                }
                if code == AuthStateCurl_CURLE_OK { learn(from: transfer) }
                // The caller first: tidying up need not delay it.
                transfer.exchange.finish(transfer.result(code))
                end(transfer, isOver: true)
            }
        }

        /// Frees what an exchange holds, and its place.
        private func end(_ transfer: CurlTransfer, isOver: Bool = false) {
            makeRoom()
            drop(transfer, isOver: isOver)
            if transfer.isStreaming { streams -= 1 } else { leave(transfer.host) }
        }

        private func learn(from transfer: CurlTransfer) {
            // What the folder lacked once is likely to be needed again.
            if transfer.search == .system { authorities.first = .system }
            if transfer.isMultiplexed { queue.noteMultiplexing(transfer.host) }
        }

        /// Starts an exchange again, for which the folder had no authority.
        private func searchSystem(after transfer: CurlTransfer) {
            let spent = transfer.elapsedMilliseconds
            drop(transfer)
            let hasStarted = start(transfer.exchange, with: transfer.host, searching: .system, spentMilliseconds: spent)
            if !hasStarted { leave(transfer.host) }
        }

        /// Frees what an exchange holds whose caller has been resumed; one that waits is left out when its turn comes.
        private func cancel(_ exchange: TransportExchange) {
            if let transfer = transfers[ObjectIdentifier(exchange)] { end(transfer) }
        }

        /// Frees what an exchange holds, whether or not it is over for libcurl.
        private func drop(_ transfer: CurlTransfer, isOver: Bool = false) {
            transfers[ObjectIdentifier(transfer.exchange)] = nil
            if transfer.exchange.upload != nil { answered.removeAll { $0 === transfer } }
            // libcurl before 8.1 keeps the bytes of a pause for the next exchange with the handle, where others use the connection. One
            // that is over has none, and libcurl before 7.69 crashes.
            if transfer.hasPaused, !isOver { AuthStateCurlEasyPause(transfer.easy, 0) }
            AuthStateCurlMultiRemove(multi, transfer.easy)
            release(transfer.easy, isSpare: !transfer.hasPaused)
        }

        private func release(_ easy: UnsafeMutableRawPointer, isSpare: Bool = true) {
            if isSpare, spareHandles.count < Self.maximumSpareHandles {
                AuthStateCurlEasyReset(easy)
                spareHandles.append(easy)
            } else {
                AuthStateCurlEasyCleanup(easy)
            }
        }

        private func close() {
            for exchange in queue.waiting { exchange.finish(.failure(CancellationError())) }
            for transfer in transfers.values {
                transfer.exchange.finish(.failure(CancellationError()))
                drop(transfer)
            }
        }
    }
#endif
