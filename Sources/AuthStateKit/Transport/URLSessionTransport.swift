#if canImport(Darwin)
    public import AuthStateOAuth
    internal import Foundation
    internal import Security

    /// HTTP through URLSession, with an ephemeral session: no cookies, no cache, no stored credentials.
    public final class URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let authorities: Result<[Data], TransportError>

        /// Makes a transport with a session of its own.
        ///
        /// - Parameter certificateAuthorityFile: a PEM file of certificate authorities to trust besides the system's.
        public init(certificateAuthorityFile: String? = nil) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            session = URLSession(configuration: configuration)
            authorities = Result { try certificateAuthorityFile.map(PEMFile.certificates) ?? [] }
                .mapError { $0 as? TransportError ?? PEMFile.unreadable(certificateAuthorityFile ?? "") }
        }

        deinit { session.invalidateAndCancel() }

        /// Sends a request and returns the whole answer, whatever its status.
        ///
        /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            let wire = try WireRequest(request)
            let delegate = ExchangeDelegate(authorities: try authorities.get())
            do {
                return try await withThrowingTaskGroup(of: TransportResponse?.self) { group in
                    group.addTask { [session] in
                        try await Self.exchange(wire, request.url, session, delegate)
                    }
                    group.addTask {
                        try await Task.sleep(for: wire.timeout)
                        return nil
                    }
                    defer { group.cancelAll() }
                    guard let first = try await group.next(), let answer = first else {
                        throw URLError(.timedOut)
                    }
                    return answer
                }
            } catch let error as URLError {
                if Task.isCancelled { throw CancellationError() }
                throw Self.failure(error, wire)
            }
        }

        private static func exchange(
            _ wire: WireRequest, _ url: URL, _ session: URLSession, _ delegate: ExchangeDelegate
        ) async throws -> TransportResponse {
            var request = URLRequest(url: url, timeoutInterval: Double(wire.timeoutMilliseconds) / 1000)
            request.httpMethod = wire.method
            request.httpBody = wire.body
            request.httpShouldHandleCookies = false
            for field in wire.headers { request.addValue(field.value, forHTTPHeaderField: field.name) }

            let (bytes, answer) = try await session.bytes(for: request, delegate: delegate)
            defer { bytes.task.cancel() }
            guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            var body = Data()
            for try await byte in bytes {
                guard body.count < wire.maximumResponseBytes else {
                    let message = "The answer of \(wire.peer) has more than \(wire.maximumResponseBytes) bytes."
                    throw TransportError(.responseTooLarge, message, requestMayHaveBeenSent: true)
                }
                body.append(byte)
            }
            // URLSession joins repeated fields with commas; only libcurl keeps them apart.
            var headers = TransportHeaders()
            for (name, value) in answer.allHeaderFields { headers.append("\(name)", "\(value)") }
            return TransportResponse(status: answer.statusCode, headers: headers, body: body)
        }

        private static let kinds: [URLError.Code: TransportError.Code] = [
            .timedOut: .timedOut, .cannotFindHost: .unreachable, .cannotConnectToHost: .unreachable,
            .dnsLookupFailed: .unreachable, .notConnectedToInternet: .unreachable,
            .internationalRoamingOff: .unreachable, .dataNotAllowed: .unreachable, .callIsActive: .unreachable,
            .appTransportSecurityRequiresSecureConnection: .insecureConnection,
            .secureConnectionFailed: .insecureConnection, .serverCertificateUntrusted: .insecureConnection,
            .serverCertificateHasBadDate: .insecureConnection, .serverCertificateHasUnknownRoot: .insecureConnection,
            .serverCertificateNotYetValid: .insecureConnection, .clientCertificateRequired: .insecureConnection,
            .clientCertificateRejected: .insecureConnection, .unsupportedURL: .invalidRequest,
            .badURL: .invalidRequest,
            // The caller did not cancel: it was the delegate, which does not trust the server.
            .cancelled: .insecureConnection,
        ]

        private static func failure(_ error: URLError, _ wire: WireRequest) -> TransportError {
            let code = kinds[error.code] ?? .connectionLost
            let neverSent: Set<TransportError.Code> = [.unreachable, .insecureConnection, .invalidRequest]
            // The number says in every language what failed.
            let reason = "\(error.localizedDescription) (URLError \(error.code.rawValue))"
            let message = "The exchange with \(wire.peer) failed: \(reason)".printable()
            return TransportError(code, message, requestMayHaveBeenSent: !neverSent.contains(code))
        }
    }

    /// Refuses redirects, answers no challenge but the server's certificate, and there adds our own authorities.
    private final class ExchangeDelegate: NSObject, URLSessionTaskDelegate {
        private let authorities: [Data]

        init(authorities: [Data]) { self.authorities = authorities }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let trust = challenge.protectionSpace.serverTrust
            else {
                // The answer with its 401 is the caller's business.
                return (.rejectProtectionSpace, nil)
            }
            guard !authorities.isEmpty else { return (.performDefaultHandling, nil) }
            let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, false)
            let isTrusted = SecTrustEvaluateWithError(trust, nil)
            return isTrusted ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
        }
    }

    /// Certificates in PEM (RFC 7468), as DER.
    private enum PEMFile {
        static func certificates(_ path: String) throws -> [Data] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw unreadable(path) }
            let certificates = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap {
                part -> Data? in
                let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
            }
            guard !certificates.isEmpty else { throw unreadable(path) }
            return certificates
        }

        static func unreadable(_ path: String) -> TransportError {
            let message =
                "The file of certificate authorities cannot be read or holds no PEM certificate: \(path.printable())."
            return TransportError(.insecureConnection, message, requestMayHaveBeenSent: false)
        }
    }
#endif
