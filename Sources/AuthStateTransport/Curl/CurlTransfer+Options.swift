#if os(Linux)
    import AuthStateFoundation
    import AuthStateOAuth
    import CAuthStateCurl

    extension CurlTransfer {
        /// The options that all exchanges of a transport share.
        struct Options {
            let clientCertificate: CurlTransport.ClientCertificate?
            let usesProxyFromEnvironment: Bool
            /// Options that this libcurl must know.
            let required: [(option: Int, value: Int)]
            /// Options that a libcurl may lack.
            let optional: [(option: Int, value: Int)]

            init(_ configuration: CurlTransport.Configuration) {
                clientCertificate = configuration.clientCertificate
                usesProxyFromEnvironment = configuration.usesProxyFromEnvironment
                required = [
                    (AuthStateCurl_CURLOPT_PROTOCOLS, AuthStateCurl_CURLPROTO_HTTP | AuthStateCurl_CURLPROTO_HTTPS),
                    (AuthStateCurl_CURLOPT_FOLLOWLOCATION, 0),
                    (AuthStateCurl_CURLOPT_NETRC, 0),
                    (AuthStateCurl_CURLOPT_NOSIGNAL, 1),
                    (AuthStateCurl_CURLOPT_PATH_AS_IS, 1),
                    (AuthStateCurl_CURLOPT_HTTP09_ALLOWED, 0),
                    (AuthStateCurl_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
                    (AuthStateCurl_CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds),
                ]
                optional = [
                    // A stream may be silent for hours, and may use a connection that another exchange has opened: a server that is
                    // gone is noticed all the same.
                    (AuthStateCurl_CURLOPT_TCP_KEEPALIVE, 1),
                    (AuthStateCurl_CURLOPT_HTTP_VERSION, AuthStateCurl_CURL_HTTP_VERSION_2TLS),
                    (AuthStateCurl_CURLOPT_MAXAGE_CONN, max(1, configuration.idleTimeout.wholeMilliseconds / 1000)),
                    // Dropping an exchange does not wait for its name look-up, which would hold up all others.
                    (AuthStateCurl_CURLOPT_QUICK_EXIT, 1),
                ]
            }
        }

        /// Tells libcurl everything about the exchange; returns the first code that is not CURLE_OK.
        func apply(_ options: Options, _ authorities: inout CurlAuthorities) -> Int {
            let request = exchange.request
            var failure = AuthStateCurl_CURLE_OK
            func check(_ code: Int) { if failure == AuthStateCurl_CURLE_OK { failure = code } }
            func set(_ option: Int, _ value: Int) { check(AuthStateCurlSetLong(easy, option, value)) }
            func set(_ option: Int, _ text: String) { check(AuthStateCurlSetPointer(easy, option, text)) }

            for (option, value) in options.required { set(option, value) }
            for (option, value) in options.optional { _ = AuthStateCurlSetLong(easy, option, value) }
            proxy = options.usesProxyFromEnvironment ? EnvironmentProxy(for: request) : nil
            if request.addressPolicy != .any, let proxy, proxy.resolvesNames, request.mayLeaveNameToProxy {
                // libcurl shall choose no other way, which is not checked then.
                set(AuthStateCurl_CURLOPT_PROXY, proxy.url)
                set(AuthStateCurl_CURLOPT_NOPROXY, "")
                leavesNameToProxy = true
            } else if !options.usesProxyFromEnvironment || !request.mayUseProxy {
                set(AuthStateCurl_CURLOPT_PROXY, "")
                proxy = nil
            }
            if request.addressPolicy != .any {
                // A connection that is kept may have been opened by a request that may go anywhere.
                set(AuthStateCurl_CURLOPT_FRESH_CONNECT, 1)
            }

            set(AuthStateCurl_CURLOPT_URL, request.url)
            if exchange.body == nil {
                set(AuthStateCurl_CURLOPT_TIMEOUT_MS, max(1, request.timeoutMilliseconds - spentMilliseconds))
            }
            set(AuthStateCurl_CURLOPT_ACCEPT_ENCODING, "")
            set(AuthStateCurl_CURLOPT_USERAGENT, "AuthStateKit")
            if request.isSecure {
                set(AuthStateCurl_CURLOPT_SSLVERSION, AuthStateCurl_CURL_SSLVERSION_TLSv1_2)
                if let certificate = options.clientCertificate {
                    set(AuthStateCurl_CURLOPT_SSLCERT, certificate.certificateFile)
                    set(AuthStateCurl_CURLOPT_SSLKEY, certificate.keyFile)
                }
                check(authorities.apply(search, to: easy))
            }
            setMethodAndBody(check)
            setHeaders(check)
            setCallbacks(check)
            return failure
        }

        private func setMethodAndBody(_ check: (Int) -> Void) {
            let request = exchange.request
            if request.method == "HEAD" {
                check(AuthStateCurlSetLong(easy, AuthStateCurl_CURLOPT_NOBODY, 1))
                return
            }
            if let upload = exchange.upload {
                check(AuthStateCurlSetLong(easy, AuthStateCurl_CURLOPT_UPLOAD, 1))
                let count = upload.count.map { Int64($0) } ?? -1
                check(AuthStateCurlSetOffset(easy, AuthStateCurl_CURLOPT_INFILESIZE_LARGE, count))
                setReader(check)
            } else if request.sendsBody {
                let body = request.body ?? Data()
                check(AuthStateCurlSetLong(easy, AuthStateCurl_CURLOPT_POST, 1))
                check(AuthStateCurlSetOffset(easy, AuthStateCurl_CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count)))
                body.withUnsafeBytes { bytes in
                    // An empty body has no address, but libcurl tells "no body" from "an empty one" by it.
                    check(
                        withUnsafePointer(to: 0 as UInt8) { empty in
                            AuthStateCurlSetPointer(
                                easy, AuthStateCurl_CURLOPT_COPYPOSTFIELDS,
                                bytes.baseAddress ?? UnsafeRawPointer(empty))
                        })
                }
            }
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_CUSTOMREQUEST, request.method))
        }

        private func setReader(_ check: (Int) -> Void) {
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_READDATA, context))
            check(
                AuthStateCurlSetWrite(easy, AuthStateCurl_CURLOPT_READFUNCTION) { bytes, size, count, context in
                    guard let context else { return 0 }
                    return CurlTransfer.from(context).supply(.init(start: bytes, count: size * count))
                })
        }

        private func setHeaders(_ check: (Int) -> Void) {
            let request = exchange.request
            func add(_ line: String) {
                guard let list = AuthStateCurlListAppend(headerLines, line) else {
                    return check(AuthStateCurl_CURLE_OUT_OF_MEMORY)
                }
                headerLines = list
            }
            // In libcurl's notation "Name;" sends an empty value, and "Name:" keeps libcurl from adding its own.
            for field in request.headers {
                add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
            if request.sendsBody {
                add("Expect:")
                if !request.hasHeader("Content-Type") { add("Content-Type:") }
            }
            if let headerLines {
                check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_HTTPHEADER, UnsafeRawPointer(headerLines)))
            }
        }

        private func setCallbacks(_ check: (Int) -> Void) {
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_PRIVATE, context))
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_ERRORBUFFER, detail))
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_OPENSOCKETDATA, context))
            check(
                AuthStateCurlSetOpenSocket(easy, AuthStateCurl_CURLOPT_OPENSOCKETFUNCTION) { context, _, address in
                    guard let context, let address, CurlTransfer.from(context).mayConnect(to: address) else {
                        return Int32(AuthStateCurl_CURL_SOCKET_BAD)
                    }
                    let socket = AuthStateCurlOpenPrivateSocket(address)
                    CurlTransfer.from(context).onSocket(socket)
                    return socket
                })
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_HEADERDATA, context))
            check(
                AuthStateCurlSetWrite(easy, AuthStateCurl_CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                    guard let context else { return 0 }
                    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return CurlTransfer.from(context).receiveHeader(bytes) ? bytes.count : 0
                })
            check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_WRITEDATA, context))
            check(
                AuthStateCurlSetWrite(easy, AuthStateCurl_CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                    guard let context else { return 0 }
                    let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return CurlTransfer.from(context).receiveBody(bytes) ? bytes.count : 0
                })
            let code = AuthStateCurlSetPrerequest(easy, AuthStateCurl_CURLOPT_PREREQFUNCTION) { context, _, _, _, _ in
                let isAllowed = context.map { CurlTransfer.from($0).beginAttempt() } ?? false
                return Int32(isAllowed ? AuthStateCurl_CURL_PREREQFUNC_OK : AuthStateCurl_CURL_PREREQFUNC_ABORT)
            }
            countsAttempts = code == AuthStateCurl_CURLE_OK
            if countsAttempts {
                check(AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_PREREQDATA, context))
            } else if !exchange.request.isIdempotent {
                // This libcurl would repeat the request by itself when a kept connection is dead: use none.
                check(AuthStateCurlSetLong(easy, AuthStateCurl_CURLOPT_FRESH_CONNECT, 1))
            }
        }
    }
#endif
