import AsyncHTTPClient
import AuthStateKit
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TransportError {
    /// The client's failure in the terms of transports; a request that was not sent cannot have been lost on the way.
    init(_ error: any Error, _ request: TransportRequest, wasSent: Bool) {
        if let error = error as? TransportError {
            self = error
            return
        }
        if let refused = error as? Clients.AddressRefused {
            self = .notPublic(request.peer, refused.address)
            return
        }
        let code = Self.code(of: error, wasSent: wasSent)
        self.init(code, Self.message(code, error, request), requestMayHaveBeenSent: wasSent && code != .invalidRequest)
    }

    private static func code(of error: any Error, wasSent: Bool) -> Code {
        switch error {
        case is Exchange.TooLarge, NIOHTTPDecompression.DecompressionError.limit, HTTPParserError.headerOverflow:
            return .responseTooLarge
        case let error as HTTPClientError:
            if let code = codes.first(where: { $0.error == error })?.code { return code }
            // The names or values of the header fields that were refused are part of these errors.
            if ["Invalid header field names", "Invalid header field values"].contains(error.shortDescription) {
                return .invalidRequest
            }
            return wasSent ? .connectionLost : .unreachable
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return wasSent ? .connectionLost : .insecureConnection
        default:
            return wasSent ? .connectionLost : .unreachable
        }
    }

    /// The client's errors that mean the same at any time.
    private static let codes: [(error: HTTPClientError, code: Code)] = [
        (.deadlineExceeded, .timedOut), (.readTimeout, .timedOut), (.writeTimeout, .timedOut),
        (.tlsHandshakeTimeout, .unreachable), (.connectTimeout, .unreachable),
        (.getConnectionFromPoolTimeout, .unreachable),
        (.invalidURL, .invalidRequest), (.emptyHost, .invalidRequest), (.emptyScheme, .invalidRequest),
        (.traceRequestWithBody, .invalidRequest),
    ]

    private static func message(_ code: Code, _ error: any Error, _ request: TransportRequest) -> String {
        let peer = request.peer
        switch code {
        case .responseTooLarge where error is HTTPParserError:
            return "The answer of \(peer) has too long a header section."
        case .responseTooLarge where error is Exchange.TooLarge:
            return "The answer of \(peer) has more than \(max(0, request.maximumResponseBytes)) bytes."
        case .responseTooLarge: return "The answer of \(peer) inflates to more bytes than the transport takes."
        case .timedOut: return "The exchange with \(peer) took longer than \(request.timeout)."
        case .insecureConnection: return "TLS with \(peer) failed (\(tlsReason(error)))."
        case .unreachable: return "Could not connect to \(peer): \(reason(error))."
        case .invalidRequest: return "The request cannot be sent as it is: \(reason(error))."
        default:
            let isParser = error is HTTPParserError
            return isParser
                ? "\(peer) answered something that is not HTTP."
                : "The exchange with \(peer) failed: \(reason(error))."
        }
    }

    /// BoringSSL's words, such as `certificate verify failed`, without the place in its sources.
    private static func tlsReason(_ error: any Error) -> String {
        let text = "\(error)"
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return String(text.prefix(200)) }
        return text[start...].prefix { $0 != " " }.lowercased().replacing("_", with: " ")
    }

    /// The system's reason if there is one; none of these descriptions holds a part of the request.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription.lowercased()
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "the name could not be resolved"
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        default: String("\(error)".prefix(200))
        }
    }
}

extension TransportRequest {
    /// `host:port`, for messages.
    var peer: String { "\(url.host() ?? ""):\(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))" }
}
