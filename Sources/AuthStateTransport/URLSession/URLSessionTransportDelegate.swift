#if canImport(Darwin)
    import AuthStateJOSE
    import AuthStateOAuth
    import Foundation
    import Security

    /// Passes the session's reports on each task to its exchange; follows no redirect, answers TLS challenges alone.
    // Sendable: of what is not, Security's objects are immutable references that any thread may use.
    final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        private let anchors: [SecCertificate]
        private let identity: URLSessionTransport.ClientIdentity?
        private let exchanges = Lock<[Int: URLSessionExchange]>([:])

        init(anchors: [SecCertificate], identity: URLSessionTransport.ClientIdentity?) {
            self.anchors = anchors
            self.identity = identity
        }

        /// Registers an exchange before its task is resumed; it is released when the task ends.
        func begin(_ exchange: URLSessionExchange, _ task: URLSessionTask) {
            exchanges.withLock { $0[task.taskIdentifier] = exchange }
        }

        /// Releases an exchange whose task will not be resumed.
        func forget(_ task: URLSessionTask) { _ = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) } }

        private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
            exchanges.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            if let response = response as? HTTPURLResponse {
                let fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
                exchange(of: dataTask)?.receive(status: response.statusCode, fields: fields)
            }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let exchange = exchange(of: dataTask) else { return }
            switch exchange.receive(data) {
            case .goOn: break
            case .cancel: dataTask.cancel()
            case .pause:
                dataTask.suspend()
                // A reader that made room before that has resumed a task which was not suspended yet.
                if exchange.hasRoom { dataTask.resume() }
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let exchange = exchange(of: task)
            forget(task)
            exchange?.finish(
                error.map { error in
                    let error = error as NSError
                    return URLSessionFailure(
                        code: error.code, description: error.localizedDescription, chain: Self.chain(of: error))
                })
        }

        /// Challenges of the whole session come here too, because it has no other method for them.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                guard !anchors.isEmpty, let trust = space.serverTrust else {
                    return completionHandler(.performDefaultHandling, nil)
                }
                SecTrustSetAnchorCertificates(trust, anchors as CFArray)
                SecTrustSetAnchorCertificatesOnly(trust, false)
                if SecTrustEvaluateWithError(trust, nil) {
                    completionHandler(.useCredential, URLCredential(trust: trust))
                } else {
                    exchange(of: task)?.refuse(chain: Self.chain(of: trust))
                    completionHandler(.cancelAuthenticationChallenge, nil)
                }
            case NSURLAuthenticationMethodClientCertificate:
                let credential = identity.map {
                    URLCredential(identity: $0.identity, certificates: $0.intermediates, persistence: .forSession)
                }
                // Without a credential the handshake goes on without a certificate; the default would ask the keychain.
                completionHandler(.useCredential, credential)
            default:
                // A proxy's challenge is the system's business, and an answer with a 401 the caller's.
                completionHandler(space.isProxy() ? .performDefaultHandling : .rejectProtectionSpace, nil)
            }
        }

        private static func chain(of error: NSError) -> [[UInt8]] {
            guard let trust = error.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] else { return [] }
            // The value of this key is a SecTrust, a type that `as?` cannot ask for.
            return chain(of: trust as! SecTrust)
        }

        private static func chain(of trust: SecTrust) -> [[UInt8]] {
            let certificates = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
            return certificates.map { Array(SecCertificateCopyData($0) as Data) }
        }
    }
#endif
