import AuthStateKit

/// The header fields that the proxy passes on.
enum ProxyHeaders {
    /// The fields of one connection (RFC 9110, section 7.6.1), beside those that `Connection` names and `Proxy-…`.
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
    ]

    /// Fields of a request that the proxy or the transport sets; cookies, which do not distinguish the ports of 127.0.0.1;
    /// the address of another request, which has the key in it; and fields that some servers take for another method or path
    /// than the one that was judged.
    private static let ownOfRequests: Set<String> = [
        "authorization", "dpop", "cookie", "host", "content-length", "expect", "accept-encoding", "referer",
        "x-authstate-key", "x-http-method", "x-http-method-override", "x-method-override", "x-original-url",
        "x-rewrite-url",
    ]

    /// Fields of an answer that describe its compressed body; and cookies.
    private static let ownOfAnswers: Set<String> = ["content-length", "content-encoding", "set-cookie"]

    /// Returns the fields that the API receives, but for the token.
    static func request(_ headers: TransportHeaders) -> TransportHeaders {
        var result = endToEnd(headers, without: ownOfRequests)
        // A range counts the bytes of what the server sends, which must not be compressed then.
        if headers["Range"] != nil { result["Accept-Encoding"] = "identity" }
        let codings = headers[values: "TE"].flatMap { $0.lowercased().split(separator: ",") }
        if codings.contains(where: { $0.filter { $0 != " " && $0 != "\t" } == "trailers" }) {
            result["TE"] = "trailers"
        }
        return result
    }

    /// Returns the fields behind the body of an answer: none that says how to read it, or where it goes (RFC 9110, section 6.5.1).
    static func trailers(_ trailers: TransportHeaders) -> TransportHeaders {
        var result = TransportHeaders()
        for field in answer(trailers) {
            let name = field.name.lowercased()
            if !name.hasPrefix("content-"), !["host", "location", "cache-control", "www-authenticate"].contains(name) {
                result.append(field.name, field.value)
            }
        }
        return result
    }

    /// Returns the fields that the program receives with a switch to another protocol.
    static func upgrade(_ headers: TransportHeaders) -> TransportHeaders {
        var result = answer(headers)
        (result["Connection"], result["Upgrade"]) = ("upgrade", headers["Upgrade"])
        return result
    }

    /// Returns the fields that the program receives.
    static func answer(_ headers: TransportHeaders) -> TransportHeaders { endToEnd(headers, without: ownOfAnswers) }

    /// Whether a name may have this character (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func endToEnd(_ headers: TransportHeaders, without own: Set<String>) -> TransportHeaders {
        let named = headers[values: "Connection"].flatMap { $0.split(separator: ",") }.map { name in
            name.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        let dropped = hopByHop.union(own).union(named)
        var result = TransportHeaders()
        for field in headers {
            // Servers that hand names over as variables take - and _ for the same.
            let name = field.name.lowercased().replacing("_", with: "-")
            // A name that is no token could not be written.
            if !name.isEmpty, !dropped.contains(name), !name.hasPrefix("proxy-"),
                field.name.lowercased().utf8.allSatisfy(isTokenCharacter)
            {
                result.append(field.name, field.value)
            }
        }
        return result
    }
}
