import ArgumentParser
import AuthStateKit
import Foundation
import Testing

@testable import AuthStateOAuth
@testable import AuthStateProgram

/// A walk through all refusals of the library, as each kind of login is told about them.
struct AdviceWalkTests {
    /// What a refusal takes for granted, and the words that do so.
    enum Need: CaseIterable {
        case nothing, identifier, document, registration, secret, key, user, page, dpop, api

        var words: Regex<Substring> {
            switch self {
            case .nothing: /(?!)/
            case .identifier: /--client-id/
            case .document: /--client-metadata-url/
            case .registration: /--register-anew|registered here|just registered|--initial-access-token-env/
            case .secret: /secret\b|--client-secret-env|--auth-method (?:post|basic)/
            case .key: /client's key|--private-key|the key that|\bassertion\b/
            case .user: /allow the access|confirm it/
            case .page: /--redirect-uri|redirect URI|--paste|browser/
            case .dpop: /DPoP|--dpop/
            case .api: /--for\b|the API\b/
            }
        }
    }

    /// A kind of login, with the options that make one, or the facts of a stored one.
    struct Kind: CustomTestStringConvertible {
        let testDescription: String
        /// What it has, by its options, which say so here once more.
        let has: Set<LoginFacts.Part>
        var options: [String] = []
        var stored: LoginFacts?
        var proof: @Sendable () throws -> ClientAuthentication = { .none(clientID: "c") }

        func facts() throws -> LoginFacts { try stored ?? Login.parse(options).knownFacts }

        func needs(_ facts: LoginFacts) -> Set<Need> {
            let parts: [(Need, LoginFacts.Part)] = [
                (.identifier, .identifier), (.document, .document), (.registration, .registration), (.secret, .secret),
                (.key, .key), (.user, .user), (.page, .page), (.dpop, .dpop),
            ]
            let may = has.union(facts.open)
            var needs = Set(parts.filter { may.contains($0.1) }.map(\.0)).union([.nothing])
            if facts.isRegistered { needs.insert(.registration) }
            if facts.resource != nil { needs.insert(.api) }
            return needs
        }

        /// A request for tokens with the login's proof.
        func request() throws -> TransportRequest {
            var (form, headers) = (Parameters(), TransportHeaders())
            try proof().apply(to: &form, headers: &headers)
            return TransportRequest(
                method: .post, url: try #require(URL(string: "https://op.example/token")), headers: headers,
                body: Data(form.encoded.utf8))
        }
    }

    private static let issuer = ["--issuer", "https://op.example"]
    private static let client = issuer + ["--client-id", "c"]
    private static let secret: @Sendable () throws -> ClientAuthentication = {
        try .secret("a+b/c=", clientID: "c", method: .clientSecretBasic)
    }
    private static let key: @Sendable () throws -> ClientAuthentication = {
        try .assertion("a.b.c", clientID: "c", method: .privateKeyJWT)
    }

    static let kinds = [
        Kind(testDescription: "a public client", has: [.identifier, .user, .page], options: client),
        Kind(
            testDescription: "with a secret", has: [.identifier, .secret, .user, .page],
            options: client + ["--client-secret-env", "SECRET"], proof: secret),
        Kind(
            testDescription: "with a key", has: [.identifier, .key, .user, .page],
            options: client + ["--private-key", "key.pem"], proof: key),
        Kind(testDescription: "with DPoP", has: [.identifier, .user, .page, .dpop], options: client + ["--dpop"]),
        Kind(
            testDescription: "a client that registers", has: [.registration, .user, .page],
            options: issuer + ["--register-anew"]),
        Kind(
            testDescription: "a client that registers, or has before", has: [.user, .page],
            options: issuer + ["--register"]),
        Kind(
            testDescription: "a program that registers, with a secret", has: [.registration, .secret],
            options: issuer + ["--register-anew", "--grant", "client-credentials"], proof: secret),
        Kind(
            testDescription: "a client that registered before", has: [.user, .page],
            stored: LoginFacts(resource: nil, isRegistered: true, parts: [.user, .page])),
        Kind(
            testDescription: "a client that registered before and has a secret", has: [.user, .page, .secret],
            stored: LoginFacts(resource: nil, isRegistered: true, parts: [.user, .page, .secret]), proof: secret),
        Kind(
            testDescription: "on another device", has: [.identifier, .user], options: client + ["--grant", "device"]),
        Kind(
            testDescription: "backchannel", has: [.identifier, .user],
            options: client + ["--grant", "ciba", "--login-hint", "ada"]),
        Kind(
            testDescription: "a program with a secret", has: [.identifier, .secret],
            options: client + ["--grant", "client-credentials", "--client-secret-env", "SECRET"], proof: secret),
        Kind(
            testDescription: "a program by its key", has: [.identifier, .key],
            options: client + ["--grant", "jwt-bearer", "--private-key", "key.pem"], proof: key),
        Kind(
            testDescription: "a program by an assertion of its platform", has: [.key],
            options: issuer + ["--grant", "jwt-bearer", "--assertion-file", "token"]),
        Kind(
            testDescription: "for an API", has: [.registration, .user, .page],
            options: ["--for", "https://api.example", "--register-anew"]),
        Kind(
            testDescription: "for an API, perhaps with the client of before, on another device", has: [.user],
            options: ["--for", "https://api.example", "--grant", "device"]),
        Kind(
            testDescription: "for an API with a client", has: [.identifier, .user, .page],
            options: ["--for", "https://api.example"] + client),
        Kind(
            testDescription: "for an API by a document", has: [.document, .registration, .user, .page],
            options: ["--for", "https://api.example", "--client-metadata-url", "https://app.example/client.json"]),
    ]

    /// Each code, by what a login needs to meet it. A new code has no row, and the test fails.
    static let rows: [Need: [AuthStateError.Code]] = [
        .nothing: [
            .invalidArgument, .invalidIssuer, .insecureURL, .issuerMismatch, .discoveryFailed, .invalidMetadata,
            .endpointMissing, .unsupported, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
            .invalidRequest, .invalidTarget, .invalidAuthorizationDetails, .invalidDPoPProof, .revocationUnsupported,
            .credentialUnavailable, .libraryUnavailable, .insecureConnection, .malformedResponse, .responseTooLarge,
            .redirected, .unsupportedTokenType, .invalidIDToken, .invalidSignature, .invalidUserInfo, .subjectMismatch,
            .providerError, .unreachable, .timedOut, .connectionLost, .serverError, .temporarilyUnavailable,
            .useDPoPNonce, .storeLocked, .deviceLocked, .storeUnreadable, .storeUnwritable, .storeReadOnly,
            .storeCorrupt, .storeTooNew, .storeExposed, .storeUntrusted, .storeConflict, .notLoggedIn, .accessDenied,
            .invalidGrant, .refusedWithoutReason, .noRefreshToken, .tokenRejected, .insufficientScope, .cancelled,
        ],
        .registration: [
            .registrationRedirectURIRefused, .invalidClientMetadata, .invalidSoftwareStatement,
            .unapprovedSoftwareStatement, .initialAccessTokenRejected, .registrationTokenRejected,
        ],
        .user: [
            .authorizationPending, .slowDown, .deviceCodeExpired, .expiredLoginHintToken, .unknownUserID,
            .invalidBindingMessage, .missingUserCode, .invalidUserCode, .transactionFailed, .loginRequired,
            .consentRequired, .accountSelectionRequired, .interactionRequired, .insufficientUserAuthentication,
            .accountChanged, .issuerNotAllowed, .userCancelled, .invalidLogoutToken,
        ],
        .page: [
            .invalidRedirectURI, .pkceUnsupported, .unsupportedResponseType, .invalidRequestURI, .invalidRequestObject,
            .portInUse, .browserUnavailable, .stateMismatch, .issuerParameterMismatch, .callbackMismatch,
            .duplicateParameter, .authorizationExpired, .openedTwice, .invalidAuthorizationResponse,
        ],
        .secret: [.credentialWithheld], .api: [.addressNotAllowed, .resourceMismatch, .clientIssuerMismatch],
    ]

    /// What a recognised failure needs; the others can happen to each login.
    private static let recognized: [RecognizedFailure.Name: Need] = [
        .redirectMismatch: .page, .wrongVerifier: .page, .codeSpent: .page, .noAnswerCame: .page,
        .wrongSecret: .secret,
    ]

    private static let stages: [AuthStateError.Stage] = [
        .usage, .discovery, .resourceMetadata, .registration, .authorization, .token, .userinfo, .refresh, .resource,
        .logout, .store,
    ]

    @Test func `each code has one row`() {
        let listed = Self.rows.values.flatMap(\.self)
        #expect(Set(listed) == Set(AuthStateError.Code.kinds.keys) && listed.count == Set(listed).count)
    }

    @Test(
        "each refusal has a hint, whose options exist, and which takes for granted what the login has", arguments: kinds
    )
    func walk(_ kind: Kind) async throws {
        let (facts, request) = (try kind.facts(), try kind.request())
        #expect(facts.parts == kind.has)
        let needs = kind.needs(facts)
        let options = try CommonOptions.parse([])
        var (seen, faults): ([String: Set<String>], [String]) = ([:], [])

        func check(_ error: AuthStateError) {
            guard needs.contains(error.recognizedFailure.flatMap { Self.recognized[$0.name] } ?? .nothing) else {
                return
            }
            let hint = error.advised(for: options, facts).hint
            if hint != nil || error.kind != .cancelled {
                seen[hint ?? "no hint", default: []].insert("\(error.code) \(error.stage)")
            }
        }

        for (need, codes) in Self.rows where needs.contains(need) {
            for (code, stage) in codes.flatMap({ code in Self.stages.map { (code, $0) } }) {
                // The tests beside this one wait for other processes, and need a thread in time.
                await Task.yield()
                check(AuthStateError(code, stage: stage, "It failed."))
                for response in OAuthErrorResponse.codes.filter({ $1 == code }).map({
                    OAuthErrorResponse(error: $0.key)
                }) {
                    for status in code == .invalidClient || code == .unauthorizedClient ? [400, 401] : [400] {
                        let error = AuthStateError(
                            code, stage: stage, "It failed.", hint: response.hint(at: stage), response: response,
                            httpStatus: status)
                        check(request.advising(error))
                    }
                }
            }
        }
        for failure in RecognizedFailure.table {
            for stage in failure.stages ?? [.authorization, .token, .refresh, .logout] {
                await Task.yield()
                for sign in failure.signs {
                    var error = AuthStateError(.invalidClient, stage: stage, sign.texts[0])
                    switch sign.place {
                    case .error: error.response = OAuthErrorResponse(error: sign.texts[0])
                    case .explanation:
                        error.response = OAuthErrorResponse(error: "invalid_client", errorDescription: sign.texts[0])
                    case .message(let code): error.code = code
                    }
                    check(request.advising(error.explained))
                }
            }
        }
        let provider = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: request.url)
        for (status, type, body) in Self.answers {
            for grant in [TokenRequest.Grant.clientCredentials, .refreshToken("r")] {
                var token = TokenRequest(Client(provider, id: "c"), grant)
                if needs.contains(.dpop) { token.dpopKey = try .generate() }
                let response = TransportResponse(
                    status: status, headers: ["Content-Type": type], body: Data(body.utf8))
                switch TokenAnswer(response, to: token, sentAt: Date(timeIntervalSince1970: 0)) {
                case .tokens: break
                case .error(let error): check(request.advising(error))
                case .refused(let error, refreshToken: _): check(request.advising(error))
                }
            }
        }
        for (hint, places) in seen {
            var found = AdviceOptionTests.options(hint).subtracting(Self.program).map { "has no \($0)" }
            if !hint.hasSuffix(".") { found.append("no sentence") }
            if hint.replacing("DPoP", with: "").contains(/[a-z][A-Z]|\(\w*:?\)/) { found.append("API") }
            found += Need.allCases.filter { !needs.contains($0) && Self.presumes($0, hint) }.map { "needs \($0)" }
            if !found.isEmpty { faults.append("\(found): \(hint) [\(places.sorted().joined(separator: ", "))]") }
        }
        #expect(faults.isEmpty, "\(faults.sorted().joined(separator: "\n"))")
        #expect(seen.count > 60)
    }

    private static let program = AdviceOptionTests.known(AuthStateCommand.self)

    /// Answers of a token endpoint that are no tokens, with their status and media type.
    private static let answers: [(Int, String, String)] = [
        (200, "application/json", "{}"), (200, "application/json", "["), (200, "text/html", "<html>"),
        (200, "application/x-www-form-urlencoded", "access_token=a"),
        (200, "application/json", #"{"access_token":"a"}"#), (200, "application/json", #"{"id_token":"a.b.c"}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"DPoP"}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"Bearer"}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"mac"}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"access_token"}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#),
        (200, "application/json", #"{"access_token":"a","token_type":"Bearer","error":5}"#),
        (302, "text/html", ""), (400, "application/json", "{}"), (401, "application/json", ""),
        (403, "text/plain", "no"),
        (403, "text/html", "<html>"), (404, "text/html", "<html>"), (407, "text/html", ""), (429, "text/plain", ""),
        (500, "text/html", "<html>"), (503, "application/json", #"{"error":"x"}"#),
        (400, "application/json", #"{"error":"invalid_request"}"#),
        (400, "application/json", #"{"error":"invalid_grant"}"#),
        (401, "application/json", #"{"error":"invalid_dpop_proof"}"#),
    ]

    /// Whether a hint says something of a part that the login then has to have: not where it offers the part.
    private static func presumes(_ need: Need, _ hint: String) -> Bool {
        hint.matches(of: need.words).contains { match in
            let sentence = hint[..<match.range.lowerBound].split(separator: /[.;]\s/).last ?? ""
            let verbs = sentence.matches(
                of: /\b(?:[Gg]ive|[Uu]se|with|[Tt]ry|without|[Cc]heck|[Ll]eave|[Cc]opy|has no|had no)\b/)
            return !["give", "use", "with", "try", "has no", "had no"].contains(verbs.last?.output.lowercased())
        }
    }

    @Test func `the facts of a stored login are those of its options`() throws {
        let provider = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: nil,
            tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        let secret = Client(provider, id: "c", credential: .environment("SECRET"))
        #expect(LoginFacts(AuthState.Record(secret)).parts == [.identifier, .secret, .user])
        var document = AuthState.Record(Client(provider, id: "https://app.example/client.json"))
        #expect(LoginFacts(document).parts == [.identifier, .user])
        document.annotations["authstate.client-metadata-url"] = document.client.id
        #expect(LoginFacts(document).parts == [.document, .user])
        #expect(LoginFacts(AuthState.Record(Client(provider, id: ""))).parts == [.user])
        var program = AuthState.Record(Client(provider, id: "c", credential: .assertion(file: "/token")))
        program.dpopKey = try .generate()
        #expect(LoginFacts(program).parts == [.identifier, .key, .user, .dpop])
    }
}
