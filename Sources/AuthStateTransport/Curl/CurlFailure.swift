#if os(Linux)
    import AuthStateLibc
    import AuthStateOAuth
    import CAuthStateCurl

    /// Turns libcurl's codes into errors that a program can branch on and a user can act on.
    enum CurlFailure {
        static let outOfMemory = TransportError(
            .libraryUnavailable, "libcurl found no memory for a request.", requestMayHaveBeenSent: false)

        /// Returns the error for an option that libcurl refused, before anything was sent.
        static func setUp(_ code: Int) -> TransportError {
            guard code != AuthStateCurl_CURLE_OUT_OF_MEMORY else { return outOfMemory }
            let reason = AuthStateCurlMessageFor(code).map { String(cString: $0).lowercased() } ?? "code \(code)"
            let message = "libcurl is too old, or was built without something that is needed (\(reason))."
            return TransportError(.libraryUnavailable, message, requestMayHaveBeenSent: false)
        }

        /// Returns the error for a request that waited all its time for a connection.
        static func noConnection(for request: WireRequest) -> TransportError {
            let message =
                "No connection to \(request.peer) became free within \(request.timeoutMilliseconds) ms: all were in use."
            return TransportError(.unreachable, message, requestMayHaveBeenSent: false)
        }

        /// Returns the error for an answer whose head did not come in time.
        static func timedOut(_ request: WireRequest) -> TransportError {
            let message = "\(request.peer) did not begin to answer within \(request.timeoutMilliseconds) ms."
            return TransportError(.timedOut, message, requestMayHaveBeenSent: true)
        }

        /// Codes that determine the kind of failure by themselves; every other one is a lost connection.
        private static let kinds: [Int: TransportError.Code] = [
            AuthStateCurl_CURLE_URL_MALFORMAT: .invalidRequest,
            AuthStateCurl_CURLE_COULDNT_RESOLVE_PROXY: .unreachable,
            AuthStateCurl_CURLE_COULDNT_RESOLVE_HOST: .unreachable,
            AuthStateCurl_CURLE_COULDNT_CONNECT: .unreachable,
            AuthStateCurl_CURLE_PROXY: .unreachable,
            AuthStateCurl_CURLE_OPERATION_TIMEDOUT: .timedOut,
            AuthStateCurl_CURLE_SSL_CONNECT_ERROR: .insecureConnection,
            AuthStateCurl_CURLE_SSL_CERTPROBLEM: .clientCertificate,
            AuthStateCurl_CURLE_SSL_CIPHER: .insecureConnection,
            AuthStateCurl_CURLE_PEER_FAILED_VERIFICATION: .insecureConnection,
            AuthStateCurl_CURLE_SSL_CACERT_BADFILE: .insecureConnection,
            AuthStateCurl_CURLE_SSL_ISSUER_ERROR: .insecureConnection,
            AuthStateCurl_CURLE_SSL_PINNEDPUBKEYNOTMATCH: .insecureConnection,
            AuthStateCurl_CURLE_SSL_INVALIDCERTSTATUS: .insecureConnection,
            AuthStateCurl_CURLE_SSL_CLIENTCERT: .clientCertificate,
        ]

        static func error(for code: Int, _ transfer: CurlTransfer) -> TransportError {
            let kind = kind(of: code, transfer)
            return TransportError(
                kind, message(for: code, kind, transfer), requestMayHaveBeenSent: mayHaveBeenSent(kind, transfer))
        }

        private static func kind(of code: Int, _ transfer: CurlTransfer) -> TransportError.Code {
            if transfer.excess != nil { return .responseTooLarge }
            if code == AuthStateCurl_CURLE_COULDNT_CONNECT, transfer.refusedAddress != nil { return .addressNotAllowed }
            let kind = lastKind(of: code, transfer)
            // A kept connection took the request and died; the next one could not be made.
            if transfer.attempts > 0, kind == .unreachable || kind == .insecureConnection { return .connectionLost }
            // With TLS 1.3 a new connection's certificate is refused after the attempt.
            if transfer.hasReconnected, kind == .clientCertificate { return .connectionLost }
            // libcurl has one code for both timeouts; the shorter one ends the wait for a connection.
            return kind == .timedOut && !hasUsedItsTime(transfer) ? .unreachable : kind
        }

        /// Returns the kind of the last connection's failure.
        private static func lastKind(of code: Int, _ transfer: CurlTransfer) -> TransportError.Code {
            if proxyRefusal(transfer) != nil { return .unreachable }
            return isRefusedCertificate(transfer) ? .clientCertificate : kinds[code] ?? .connectionLost
        }

        /// Returns whether the server ended the connection over the client's certificate (RFC 8446, section 6.2):
        /// alerts about certificates are always about the receiver's. libcurl has a code for one of them only.
        private static func isRefusedCertificate(_ transfer: CurlTransfer) -> Bool {
            let text = String(cString: transfer.detail).lowercased()
            return text.contains(" alert ") && ["certificate", "unknown ca"].contains { text.contains($0) }
        }

        /// Returns false only for a failure before a connection: all later counts as sent, unless libcurl counted no
        /// byte.
        private static func mayHaveBeenSent(_ kind: TransportError.Code, _ transfer: CurlTransfer) -> Bool {
            if [.unreachable, .addressNotAllowed, .insecureConnection, .clientCertificate, .invalidRequest]
                .contains(kind)
            {
                return false
            }
            if transfer.attempts > 1 { return true }
            if transfer.countsAttempts, transfer.attempts == 0 { return false }
            return AuthStateCurlGetLong(transfer.easy, AuthStateCurl_CURLINFO_REQUEST_SIZE) > 0
        }

        private static func message(for code: Int, _ kind: TransportError.Code, _ transfer: CurlTransfer) -> String {
            let request = transfer.exchange.request
            let peer = request.peer
            switch (kind, code) {
            case (.responseTooLarge, _):
                return transfer.excess == .head
                    ? "The answer of \(peer) has a header section of more than \(ResponseHead.maximumBytes) bytes."
                    : "The answer of \(peer) has more than \(request.maximumResponseBytes) bytes."
            case (.addressNotAllowed, _): return TransportError.notPublic(peer, transfer.refusedAddress).message
            case (.timedOut, _):
                return "The exchange with \(peer) took longer than \(request.timeoutMilliseconds) ms."
            case (.insecureConnection, AuthStateCurl_CURLE_SSL_CONNECT_ERROR):
                return "\(peer) did not agree on TLS, and may not speak it (\(detail(code, transfer)))."
            case (.clientCertificate, _):
                return "The client's certificate does not do for \(peer) (\(detail(code, transfer)))."
            case (.insecureConnection, _):
                return "TLS with \(peer) failed (\(detail(code, transfer)))."
            case (.unreachable, AuthStateCurl_CURLE_COULDNT_RESOLVE_HOST):
                return "The name of \(peer) could not be resolved."
            case (.unreachable, AuthStateCurl_CURLE_COULDNT_RESOLVE_PROXY):
                guard let proxy = transfer.proxy else {
                    return "The proxy's name could not be resolved: check http_proxy, https_proxy and all_proxy."
                }
                return "The name of the proxy \(proxy.description) could not be resolved."
            case (.unreachable, _):
                let proxy = transfer.proxy.map { " \($0.description)" } ?? ""
                if let status = proxyRefusal(transfer) {
                    return "The proxy\(proxy) refused to connect to \(peer): it answered \(status)."
                }
                // libcurl names the host that it could not reach; another variable may have kept it from the proxy.
                let isOfProxy = transfer.proxy.map { String(cString: transfer.detail).contains($0.host) } ?? false
                let place = isOfProxy ? "the proxy\(proxy) for \(peer)" : peer
                return "Could not connect to \(place): \(reason(code, transfer))."
            case (_, AuthStateCurl_CURLE_GOT_NOTHING):
                return "\(peer) closed the connection without an answer."
            case (_, AuthStateCurl_CURLE_PARTIAL_FILE):
                return "\(peer) closed the connection in the middle of its answer."
            case (_, AuthStateCurl_CURLE_WEIRD_SERVER_REPLY), (_, AuthStateCurl_CURLE_UNSUPPORTED_PROTOCOL):
                return "\(peer) answered something that is not HTTP."
            case (_, AuthStateCurl_CURLE_ABORTED_BY_CALLBACK):
                return "\(peer) closed the connection without an answer; the request was not repeated."
            case (.connectionLost, _) where kinds[code] != nil || proxyRefusal(transfer) != nil:
                return "\(peer) closed the connection without an answer, and another failed: \(detail(code, transfer))."
            default:
                return "The exchange with \(peer) failed: \(reason(code, transfer))."
            }
        }

        private static func proxyRefusal(_ transfer: CurlTransfer) -> Int? {
            let status = AuthStateCurlGetLong(transfer.easy, AuthStateCurl_CURLINFO_HTTP_CONNECTCODE)
            return status == 0 || (200..<300).contains(status) ? nil : status
        }

        private static func hasUsedItsTime(_ transfer: CurlTransfer) -> Bool {
            transfer.attempts > 0 || transfer.elapsedMilliseconds >= transfer.exchange.request.timeoutMilliseconds
        }

        /// Returns the system's reason if there is one, else libcurl's; neither contains anything of the request.
        private static func reason(_ code: Int, _ transfer: CurlTransfer) -> String {
            let number = AuthStateCurlGetLong(transfer.easy, AuthStateCurl_CURLINFO_OS_ERRNO)
            let text = number == 0 ? AuthStateCurlMessageFor(code) : UnsafePointer(strerror(Int32(number)))
            return text.map { String(cString: $0).lowercased() } ?? "code \(code)"
        }

        /// Returns libcurl's sentence about TLS, which speaks of the certificate alone.
        private static func detail(_ code: Int, _ transfer: CurlTransfer) -> String {
            let text = String(cString: transfer.detail).printable().split(separator: " ").joined(separator: " ")
            return text.isEmpty ? reason(code, transfer) : text
        }
    }
#endif
