#if os(Linux)
    import AuthStateFoundation
    import AuthStateOAuth
    import CAuthStateCurl

    /// An exchange in progress: its options and what libcurl has delivered. Lives on the loop's thread alone.
    final class CurlTransfer {
        let exchange: TransportExchange
        let host: String
        let easy: UnsafeMutableRawPointer
        /// Where the authority of the server's certificate is looked for.
        let search: CurlAuthorities.Search
        /// The part of the exchange's time that it waited for its turn, or that an earlier search took.
        let spentMilliseconds: Int
        /// The time at which libcurl was given the exchange.
        private let start = ContinuousClock.now
        /// Header lines and the place where libcurl writes about TLS; both must outlive the exchange.
        var headerLines: OpaquePointer?
        let detail = UnsafeMutablePointer<CChar>.allocate(capacity: AuthStateCurl_CURL_ERROR_SIZE)

        /// The proxy that the environment names, which libcurl may have its own reason not to use; for messages.
        var proxy: EnvironmentProxy?
        /// Whether every connection goes to the proxy, which resolves the server's name.
        var leavesNameToProxy = false

        private(set) var head = ResponseHead()
        private(set) var body = Data()
        private(set) var excess: Excess?
        /// The address that the request's policy refused last, unless it allowed another one.
        private(set) var refusedAddress: InternetAddress?
        private var hasAllowedAddress = false
        /// The number of attempts to send the request; more than one when a kept connection turned out to be dead.
        private(set) var attempts = 0
        /// Whether a connection was opened after an attempt, which a kept connection took.
        private(set) var hasReconnected = false
        /// Whether libcurl counts `attempts` (since 7.80).
        var countsAttempts = false

        /// Whether libcurl may have kept bytes of the body during a pause.
        private(set) var hasPaused = false

        /// Called with a socket that has just been opened.
        let onSocket: (Int32) -> Void
        /// Called when the head of a stream has come.
        private let onHead: (CurlTransfer, TransportResponse) -> Void
        private(set) var isStreaming = false
        /// The fault of a stream's head, which ends the exchange.
        private var refusal: (any Error)?

        /// The part of an answer that was too long.
        enum Excess { case head, body }

        init(
            _ exchange: TransportExchange, with host: String, easy: UnsafeMutableRawPointer,
            search: CurlAuthorities.Search, spentMilliseconds: Int, onSocket: @escaping (Int32) -> Void,
            onHead: @escaping (CurlTransfer, TransportResponse) -> Void
        ) {
            self.exchange = exchange
            self.host = host
            self.easy = easy
            self.search = search
            self.spentMilliseconds = spentMilliseconds
            (self.onSocket, self.onHead) = (onSocket, onHead)
            detail.pointee = 0
        }

        deinit {
            AuthStateCurlListFree(headerLines)
            detail.deallocate()
        }

        /// The end of the time for the head of a stream; nil for another exchange, and when the head has come.
        var headEnd: ContinuousClock.Instant? {
            guard exchange.body != nil, !isStreaming else { return nil }
            return exchange.upload?.deadline(exchange.request.timeout)
                ?? start + exchange.request.timeout - .milliseconds(spentMilliseconds)
        }

        /// Returns the transfer behind a callback's context, which the loop keeps alive while the handle is in use.
        static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
            Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        }

        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        /// The milliseconds that the exchange has taken.
        var elapsedMilliseconds: Int {
            spentMilliseconds + Int(AuthStateCurlGetOffset(easy, AuthStateCurl_CURLINFO_TOTAL_TIME_T) / 1000)
        }

        func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if !head.append(bytes) { excess = .head }
            guard excess == nil else { return false }
            guard exchange.body != nil, head.isComplete, !isStreaming else { return true }
            guard status >= 200 else {
                exchange.onInterim?(TransportResponse(status: status, headers: head.headers))
                return true
            }
            switch answer {
            case .failure(let error):
                refusal = error
                return false
            case .success(let head):
                isStreaming = true
                // libcurl sends no more to a server that has refused or redirected the request.
                if head.status >= 300 { exchange.upload?.stop() }
                onHead(self, head)
                return true
            }
        }

        func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if let body = exchange.body {
                if !body.take(copying: bytes) { pause() }
                return true
            }
            if bytes.count > exchange.request.maximumResponseBytes - body.count { excess = .body }
            if excess == nil { body.append(contentsOf: bytes) }
            return excess == nil
        }

        /// Fills a buffer with bytes of a streamed body; returns their number, or what libcurl takes for a pause.
        func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            switch exchange.upload?.take(into: buffer) ?? .end {
            case .bytes(let count): count
            case .later: AuthStateCurl_CURL_READFUNC_PAUSE
            case .end: 0
            }
        }

        /// Pauses each direction whose other side is behind, and lets the others go on. While an answer is read, libcurl pauses the
        /// sending itself: it would not end the exchange.
        func pause() {
            let receiving = exchange.body?.hasRoom ?? true ? 0 : AuthStateCurl_CURLPAUSE_RECV
            let isReading = isStreaming && receiving == 0
            let sending = !isReading && exchange.upload?.isStarved ?? false ? AuthStateCurl_CURLPAUSE_SEND : 0
            hasPaused = hasPaused || receiving != 0
            AuthStateCurlEasyPause(easy, receiving | sending)
        }

        /// Called with each address that a name resolves to, before anything is sent there; false forbids it.
        func mayConnect(to address: UnsafePointer<AuthStateCurlAddress>) -> Bool {
            if attempts > 0 { hasReconnected = true }
            let policy = exchange.request.addressPolicy
            guard policy != .any, !leavesNameToProxy else { return true }
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = Int(AuthStateCurlAddressBytes(address, &bytes))
            let target = InternetAddress(bytes: bytes.prefix(count))
            let isAllowed = target.map(policy.allows) ?? false
            hasAllowedAddress = hasAllowedAddress || isAllowed
            refusedAddress = hasAllowedAddress ? nil : target
            return isAllowed
        }

        /// Called before each attempt; false forbids it.
        func beginAttempt() -> Bool {
            defer { attempts += 1 }
            return mayBeStartedAgain
        }

        /// Whether nothing was sent, or sending it twice is harmless: a kept connection may have taken it and died.
        var mayBeStartedAgain: Bool { attempts == 0 || exchange.request.isIdempotent }

        func result(_ code: Int) -> Result<TransportResponse, any Error> {
            if let refusal { return .failure(refusal) }
            guard code == AuthStateCurl_CURLE_OK else { return .failure(CurlFailure.error(for: code, self)) }
            exchange.body?.trailers = head.trailers
            return answer
        }

        /// Whether the connection carries several exchanges at a time (HTTP/2).
        var isMultiplexed: Bool {
            AuthStateCurlGetLong(easy, AuthStateCurl_CURLINFO_HTTP_VERSION) == AuthStateCurl_CURL_HTTP_VERSION_2_0
        }

        private var status: Int { AuthStateCurlGetLong(easy, AuthStateCurl_CURLINFO_RESPONSE_CODE) }

        private var answer: Result<TransportResponse, any Error> {
            let headers = head.headers
            // libcurl takes the last of several lengths; a proxy may have taken another (RFC 9112, section 6.3).
            let lengths = headers[values: "Content-Length"]
            guard lengths.dropFirst().allSatisfy({ $0 == lengths[0] }) else {
                let message = "The answer of \(exchange.request.peer) has two lengths."
                return .failure(TransportError(.connectionLost, message, requestMayHaveBeenSent: true))
            }
            return .success(TransportResponse(status: status, headers: headers, body: body))
        }
    }
#endif
