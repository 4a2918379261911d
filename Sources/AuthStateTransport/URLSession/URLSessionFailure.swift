import AuthStateJOSE
import AuthStateOAuth

/// The reason why URLSession has no answer, in numbers alone: Foundation on Linux does not have the names.
struct URLSessionFailure: Sendable {
    /// `NSError.code`, in `NSURLErrorDomain` or, for proxies, in `kCFErrorDomainCFNetwork`; the two do not overlap.
    var code: Int
    /// The system's sentence, in the user's language.
    var description: String
    /// The certificates of a server that was not trusted, its own first, as DER.
    var chain: [[UInt8]] = []

    /// `NSURLErrorServerCertificateUntrusted`.
    static let untrusted = -1202

    private struct Kind {
        let code: TransportError.Code
        let sentence: String
        init(_ code: TransportError.Code, _ sentence: String) { (self.code, self.sentence) = (code, sentence) }
    }

    /// The meaning of each code, with `%` for the server. Any other code is a lost connection.
    private static let kinds: [Int: Kind] = {
        let cannotResolve = Kind(.unreachable, "The name of % could not be resolved")
        let tls = Kind(.insecureConnection, "TLS with % failed")
        let certificate = Kind(.insecureConnection, "The certificate of % is not trusted")
        let client = Kind(.clientCertificate, "% wants another certificate of the client, or one at all")
        let notNow = Kind(.unreachable, "The network cannot be used now, so that % cannot be reached")
        let proxy = Kind(.unreachable, "The proxy could not connect to %")
        return [
            // badURL, unsupportedURL
            -1000: Kind(.invalidRequest, "The URL cannot be requested from %"),
            -1002: Kind(.invalidRequest, "The URL cannot be requested from %"),
            // timedOut
            -1001: Kind(.timedOut, "% did not answer in time"),
            // cannotFindHost, dnsLookupFailed
            -1003: cannotResolve, -1006: cannotResolve,
            // cannotConnectToHost
            -1004: Kind(.unreachable, "Could not connect to %"),
            // notConnectedToInternet, internationalRoamingOff, callIsActive, dataNotAllowed
            -1009: notNow, -1018: notNow, -1019: notNow, -1020: notNow,
            // appTransportSecurityRequiresSecureConnection
            -1022: Kind(
                .insecureConnection,
                "App Transport Security forbids http with %: use https, or for a development server allow it in"
                    + " Info.plist (NSAppTransportSecurity, NSAllowsLocalNetworking)"),
            // secureConnectionFailed
            -1200: tls,
            // serverCertificateHasBadDate, …Untrusted, …HasUnknownRoot, …NotYetValid
            -1201: Kind(.insecureConnection, "The certificate of % has expired, or this device's clock is wrong"),
            untrusted: certificate, -1203: certificate,
            -1204: Kind(.insecureConnection, "The certificate of % is not valid yet, or this device's clock is wrong"),
            // clientCertificateRejected, clientCertificateRequired
            -1205: client, -1206: client,
            // kCFErrorHTTPProxyConnectionFailure, …HTTPBadProxyCredentials, …HTTPSProxyConnectionFailure,
            // kCFStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod
            306: proxy, 307: proxy, 310: proxy, 311: proxy,
        ]
    }()

    /// Nothing of a request is sent before there is a connection, and TLS on it. A timeout counts as sent.
    private static let neverSent: Set<TransportError.Code> = [
        .unreachable, .insecureConnection, .clientCertificate, .invalidRequest,
    ]

    func error(for request: WireRequest) -> TransportError {
        let kind = Self.kinds[code] ?? Kind(.connectionLost, "The exchange with % failed")
        // The number says in every language what failed.
        var reasons = [description.printable(), "URLError \(code)"]
        if kind.code == .insecureConnection, chain.first.flatMap({ Certificate(der: $0) })?.isSelfIssued ?? false {
            reasons.insert("self-signed certificate", at: 0)
        }
        let reason = reasons.filter { !$0.isEmpty }.joined(separator: "; ")
        let message = kind.sentence.replacing("%", with: request.peer) + (reason.isEmpty ? "." : " (\(reason)).")
        return TransportError(kind.code, message, requestMayHaveBeenSent: !Self.neverSent.contains(kind.code))
    }

    static func timedOut(_ request: WireRequest) -> TransportError {
        let message = "The exchange with \(request.peer) took longer than \(request.timeoutMilliseconds) ms."
        return TransportError(.timedOut, message, requestMayHaveBeenSent: true)
    }
}
