import AuthStateFoundation
import AuthStateOAuth
import Testing

/// One way of answering, made of an honest answer's body, and what each endpoint makes of it.
struct HostileAnswer: Sendable, CustomTestStringConvertible {
    typealias Code = AuthStateError.Code

    var testDescription: String
    var status = 200
    var headers: TransportHeaders = ["Content-Type": "application/json"]
    /// Makes the body from the honest one.
    var body: @Sendable (String) -> [UInt8] = { Array($0.utf8) }
    /// The error at each endpoint; an endpoint that is not named tolerates the answer.
    var errors: [HostileEndpoint: Code]

    func response(_ honest: String) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Data(body(honest)))
    }
}

extension [HostileEndpoint: AuthStateError.Code] {
    /// The body makes no sense. A revocation is done when the status says so (RFC 7009, section 2.2).
    static let malformed: Self = [
        .discovery: .invalidMetadata, .keys: .invalidMetadata, .token: .malformedResponse,
        .renewal: .malformedResponse, .userinfo: .malformedResponse, .registration: .malformedResponse,
        .management: .malformedResponse, .introspection: .malformedResponse,
        .device: .malformedResponse, .backchannel: .malformedResponse, .push: .malformedResponse,
    ]

    /// The endpoints at which an error in an answer with status 200 is one.
    static func reading(_ code: AuthStateError.Code) -> Self {
        [
            .token: code, .renewal: code, .registration: code, .management: code, .introspection: code, .device: code,
            .backchannel: code, .push: code,
        ]
    }

    /// Every endpoint says the same, but discovery, which says that there is no document.
    static func everywhere(_ code: AuthStateError.Code, discovery: AuthStateError.Code = .discoveryFailed) -> Self {
        var errors = Self(uniqueKeysWithValues: HostileEndpoint.allCases.map { ($0, code) })
        errors[.discovery] = discovery
        return errors
    }
}

extension HostileAnswer {
    /// The body is read whatever it calls itself: many servers send JSON under another name, and what is no JSON fails.
    static let mediaTypes: [Self] = [
        "text/html", "text/plain; charset=utf-16", "application/x-www-form-urlencoded", "",
    ]
    .map { Self(testDescription: "an honest body as “\($0)”", headers: ["Content-Type": $0], errors: [:]) }

    static let bodies: [Self] = [
        body(
            "a page",
            .malformed.merging([
                .discovery: .discoveryFailed, .renewal: .temporarilyUnavailable, .revocation: .malformedResponse,
            ]) { $1 }
        ) {
            _ in
            "<!doctype html><title>Sign in</title>"
        },
        body("nothing", .malformed) { _ in "" },
        body("white space", .malformed) { _ in " \r\n" },
        body("a body cut short", .malformed) { String($0.dropLast()) },
        body("a body twice", .malformed) { $0 + $0 },
        body("a body in an array", .malformed) { "[\($0)]" },
        body("a string", .malformed) { _ in "\"\"" },
        body("null", .malformed) { _ in "null" },
        body("a member twice", .malformed) { "{\"a\":1,\"a\":2," + $0.dropFirst() },
        body("10,000 levels", .malformed) {
            let brackets = (open: String(repeating: "[", count: 10_000), close: String(repeating: "]", count: 10_000))
            return "{\"a\":\(brackets.open)\(brackets.close)," + $0.dropFirst()
        },
        body("a number beyond a double", .malformed) { "{\"a\":1e999," + $0.dropFirst() },
        body("NaN", .malformed) { "{\"a\":NaN," + $0.dropFirst() },
        body("a comment", .malformed) { "/**/" + $0 },
        body("a byte order mark", [:]) { "\u{FEFF}" + $0 },
        body("two byte order marks", .malformed) { "\u{FEFF}\u{FEFF}" + $0 },
        Self(
            testDescription: "UTF-16", body: { $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } },
            errors: .malformed),
        Self(
            testDescription: "a byte that is not UTF-8",
            body: { Array("{\"a\":\"".utf8) + [0xFF] + Array("\",".utf8) + $0.utf8.dropFirst() }, errors: .malformed),
        body("a zero byte at the end", .malformed) { $0 + "\u{0}" },
        // Userinfo, metadata and keys have no such member: there it is an unknown one.
        body("an error in a 200", .reading(.serverError)) { "{\"error\":\"server_error\"," + $0.dropFirst() },
        body("an error that is no text", .reading(.malformedResponse)) {
            "{\"error\":{\"code\":190}," + $0.dropFirst()
        },
        body("error: null, as some write for none", [:]) { "{\"error\":null," + $0.dropFirst() },
        body("an empty error", [:]) { "{\"error\":\"\"," + $0.dropFirst() },
    ]

    static let statuses: [Self] =
        [201, 202, 203].map { Self(testDescription: "\($0) with an honest body", status: $0, errors: [:]) }
        + [204, 206, 226].map { status in
            var errors = [HostileEndpoint: Code].everywhere(.malformedResponse)
            errors[.revocation] = nil
            return Self(testDescription: "\(status) with an honest body", status: status, errors: errors)
        }
        + [0, 100, 199, 404, 405, 410, 418, 421, 600, 999].map { status in
            var errors = [HostileEndpoint: Code].everywhere(.malformedResponse)
            // RFC 7592, section 2; RFC 9126, section 2.3.
            if status == 405 { (errors[.management], errors[.push]) = (.unsupported, .endpointMissing) }
            return Self(testDescription: "\(status) with an honest body", status: status, errors: errors)
        }
        + [301, 302, 303, 307, 308, 300, 304].map {
            Self(
                testDescription: "\($0) with an honest body", status: $0,
                headers: ["Location": "https://evil.example/x?SECRET"], errors: .everywhere(.redirected))
        }
        + [500, 502, 504, 599].map {
            Self(
                testDescription: "\($0) with an honest body", status: $0,
                errors: .everywhere(.serverError, discovery: .serverError))
        }
        + [408, 429, 503].map {
            Self(
                testDescription: "\($0) with an honest body", status: $0,
                headers: ["Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Retry-After": "Fri, 15 Jan 2027 08:00:45 GMT"],
                errors: .everywhere(.temporarilyUnavailable, discovery: .temporarilyUnavailable))
        }

    private static func body(
        _ name: String, _ errors: [HostileEndpoint: Code], _ body: @escaping @Sendable (String) -> String
    ) -> Self {
        Self(testDescription: name, body: { Array(body($0).utf8) }, errors: errors)
    }
}
