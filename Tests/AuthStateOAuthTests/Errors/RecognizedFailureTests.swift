import AuthStateFoundation
import Testing

@testable import AuthStateOAuth

struct RecognizedFailureTests {
    /// A provider's answer, word for word, and its meaning.
    struct Answer: Sendable, CustomTestStringConvertible {
        let provider: String
        let error: String
        let description: String?
        let name: RecognizedFailure.Name
        let code: AuthStateError.Code

        init(
            _ provider: String, _ error: String, _ description: String?, _ name: RecognizedFailure.Name,
            _ code: AuthStateError.Code
        ) {
            self.provider = provider
            self.error = error
            self.description = description
            self.name = name
            self.code = code
        }

        var testDescription: String { "\(provider): \(error), \(description ?? "no words")" }
    }

    static let answers: [Answer] = [
        Answer("Google", "redirect_uri_mismatch", "Bad Request", .redirectMismatch, .invalidRequest),
        Answer("Google", "invalid_client", "The OAuth client was not found.", .unknownClient, .invalidClient),
        Answer("Google", "deleted_client", "The OAuth client was deleted.", .unknownClient, .invalidClient),
        Answer("Google", "invalid_request", "client_secret is missing.", .secretMissing, .invalidRequest),
        Answer("Google", "invalid_client", "The provided client secret is invalid.", .wrongSecret, .invalidClient),
        Answer(
            "Microsoft", "invalid_request",
            "AADSTS50011: The redirect URI 'x' specified in the request does not match the redirect URIs configured.",
            .redirectMismatch, .invalidRequest),
        Answer(
            "Microsoft", "unauthorized_client",
            "AADSTS700016: Application with identifier 'x' was not found in the directory 'y'.", .unknownClient,
            .unauthorizedClient),
        Answer(
            "Microsoft", "invalid_request",
            "AADSTS9002327: Tokens issued for the 'Single-Page Application' client-type may only be redeemed via "
                + "cross-origin requests.", .redirectMismatch, .invalidRequest),
        Answer("Amazon Cognito", "invalid_request", "invalid_scope", .scopeRefused, .invalidRequest),
        Answer("Zitadel", "invalid_request", "Errors.App.NotFound", .unknownClient, .invalidRequest),
        Answer("Zoom", "invalid_request", "Invalid authorization code", .codeSpent, .invalidRequest),
        Answer("Microsoft", "invalid_request", "AADSTS90002: Tenant 'x' not found.", .wrongTenant, .invalidRequest),
        Answer(
            "Microsoft", "invalid_client",
            "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent is the client secret value.",
            .wrongSecret, .invalidClient),
        Answer(
            "Microsoft", "invalid_client",
            "AADSTS7000218: The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
            .secretMissing, .invalidClient),
        Answer(
            "Microsoft", "invalid_client",
            "AADSTS700025: Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
            .secretUnwanted, .invalidClient),
        Answer(
            "Microsoft", "invalid_client",
            "AADSTS650053: The application asked for scope 'x' that doesn't exist on the resource.", .scopeRefused,
            .invalidClient),
        Answer(
            "Microsoft", "invalid_grant", "AADSTS65001: The user or administrator has not consented.", .consentMissing,
            .invalidGrant),
        Answer(
            "Microsoft", "invalid_grant", "AADSTS501481: The Code_Verifier does not match the code_challenge supplied.",
            .wrongVerifier, .invalidGrant),
        Answer("Keycloak", "invalid_grant", "Incorrect redirect_uri", .redirectMismatch, .invalidGrant),
        Answer("Keycloak", "invalid_grant", "Code not valid", .codeSpent, .invalidGrant),
        Answer("Keycloak", "invalid_grant", "PKCE verification failed: Code mismatch", .wrongVerifier, .invalidGrant),
        Answer(
            "Keycloak", "unauthorized_client", "Invalid client or Invalid client credentials", .wrongSecret,
            .unauthorizedClient),
        Answer(
            "Okta", "invalid_request",
            "The 'redirect_uri' parameter must be a Login redirect URI in the client app settings",
            .redirectMismatch, .invalidRequest),
        Answer("Okta", "invalid_client", "Invalid value for 'client_id' parameter.", .unknownClient, .invalidClient),
        Answer("Auth0", "access_denied", "Callback URL mismatch.", .redirectMismatch, .accessDenied),
        Answer("Auth0", "invalid_request", "Unknown client: x", .unknownClient, .invalidRequest),
        Answer(
            "django-oauth-toolkit", "invalid_request", "Mismatching redirect URI.", .redirectMismatch, .invalidRequest),
        Answer(
            "django-oauth-toolkit", "invalid_request", "Invalid client_id parameter value.", .unknownClient,
            .invalidRequest),
        Answer("django-oauth-toolkit", "invalid_scope", nil, .scopeRefused, .invalidScope),
        Answer("glewlwyd", "invalid_code", nil, .codeSpent, .providerError),
        // RFC 6749, section 5.2, word for word, for every fault of the client.
        Answer(
            "Doorkeeper", "invalid_client",
            "Client authentication failed due to unknown client, no client authentication included, or unsupported "
                + "authentication method.", .clientRefused, .invalidClient),
        Answer(
            "django-oidc-provider", "invalid_client",
            "Client authentication failed (e.g., unknown client, no client authentication included, or unsupported "
                + "authentication method)", .clientRefused, .invalidClient),
    ]

    @Test("a provider's words are recognised, and the code stays what the specification says", arguments: answers)
    func answer(_ answer: Answer) throws {
        let response = OAuthErrorResponse(error: answer.error, errorDescription: answer.description)
        #expect(
            response.code == answer.code && response.hint(at: .token) == RecognizedFailure(response, at: .token)?.hint)
        var error = AuthStateError(
            response.code, stage: .token, "Refused.", hint: response.hint(at: .token), response: response)
        #expect(error.recognizedFailure?.name == answer.name && error.explained == error)
        error.hint = nil
        #expect(error.explained.hint == error.recognizedFailure?.hint)
    }

    /// A redirect URI takes part in a login alone.
    @Test(
        "no advice names a redirect URI where none is used",
        arguments: [
            (AuthStateError.Stage.authorization, true), (.token, true), (.refresh, false), (.userinfo, false),
            (.resource, false), (.logout, false),
        ])
    func stages(_ stage: AuthStateError.Stage, _ isLogin: Bool) {
        for description in [nil, "Missing parameter: redirect_uri", "The request is missing a parameter."] {
            let response = OAuthErrorResponse(error: "invalid_request", errorDescription: description)
            #expect(response.hint(at: stage)?.contains("redirect URI") == isLogin, "\(description ?? "")")
            let error = AuthStateError(response.code, stage: stage, "Refused.", response: response)
            #expect(
                (error.recognizedFailure?.name == .redirectMismatch) == (isLogin && description?.contains("_") == true))
        }
    }

    @Test("the advice fits the operation that failed")
    func operations() {
        func hint(_ error: String, _ stage: AuthStateError.Stage) -> String {
            OAuthErrorResponse(error: error).hint(at: stage) ?? ""
        }
        #expect(hint("invalid_client", .token).contains("proves itself with"))
        #expect(hint("invalid_scope", .refresh).contains("granted at the login"))
        #expect(hint("unauthorized_client", .logout).contains("revoke"))
        let page = TransportResponse(status: 400, body: Data("Bad Request".utf8))
        for (stage, word) in [
            (AuthStateError.Stage.refresh, "Log in again"), (.registration, "provider's pages"),
            (.logout, "until they expire"),
        ] {
            #expect(AuthStateError.endpoint("endpoint", page, stage: stage).hint?.contains(word) == true)
        }
        // The status says that the server is broken, whatever it writes.
        let broken = AuthStateError.refusal(
            by: "endpoint", OAuthErrorResponse(error: "invalid_grant"), TransportResponse(status: 500), stage: .refresh)
        #expect(broken.kind == .transient && broken.hint == "Try again later.")
    }

    @Test("GitHub's errors are recognised in OAuth's words, too")
    func gitHub() {
        let error = OAuthErrorResponse(
            error: "redirect_uri_mismatch", errorDescription: "The redirect_uri MUST match the registered callback URL."
        ).tolerating([.gitHubErrors])
        #expect(
            error.code == .invalidRequest && RecognizedFailure(error, at: .authorization)?.name == .redirectMismatch)
        let secret = OAuthErrorResponse(error: "incorrect_client_credentials").tolerating([.gitHubErrors])
        #expect(secret.code == .invalidClient && RecognizedFailure(secret, at: .token) == nil)
    }

    @Test(
        "an unknown failure has the advice of its code, or of an unknown one",
        arguments: [
            ("access_denied", "The user said no."), ("invalid_grant", "Token has been expired or revoked."),
            ("server_error", nil), ("invalid_redirect_uri", "redirect_uris must use https"),
            ("invalid_client_metadata", "redirect_uris is missing"), ("invalid_client", nil),
            ("something_new", "What is this?"),
        ])
    func unrecognised(_ error: String, _ description: String?) {
        let response = OAuthErrorResponse(error: error, errorDescription: description)
        #expect(RecognizedFailure(response, at: .token) == nil)
        #expect(response.hint(at: .token)?.contains("documentation") == (error == "something_new"))
    }

    @Test(
        "failures without an answer are recognised by what the system says",
        arguments: [
            (
                "TLS with 127.0.0.1:1 failed (SSL certificate problem: self-signed certificate).",
                RecognizedFailure.Name.untrustedCertificate
            ),
            (
                "TLS failed (SSL certificate problem: self signed certificate in certificate chain).",
                .untrustedCertificate
            ),
            ("TLS failed (SSL certificate problem: unable to get local issuer certificate).", .untrustedCertificate),
            ("The exchange failed: Das Zertifikat ist ungültig. (URLError -1202)", .untrustedCertificate),
            ("The exchange failed: (URLError -1203)", .untrustedCertificate),
            (
                "TLS failed (SSL: no alternative certificate subject name matches target host name 'a').",
                .certificateForOtherName
            ),
            ("TLS failed (SSL certificate problem: certificate has expired).", .certificateExpired),
            ("The exchange failed: (URLError -1022)", .appTransportSecurity),
        ])
    func transport(_ message: String, _ name: RecognizedFailure.Name) {
        let error = AuthStateError(.insecureConnection, stage: .discovery, message)
        #expect(error.recognizedFailure?.name == name && error.explained.hint != nil)
    }

    @Test func `a message is not taken for a provider's answer, nor an answer for a message`() {
        #expect(AuthStateError(.invalidArgument, stage: .usage, "The redirect_uri is wrong.").recognizedFailure == nil)
        #expect(AuthStateError(.unreachable, stage: .token, "self-signed").recognizedFailure == nil)
        let response = OAuthErrorResponse(error: "x", errorDescription: "self-signed certificate")
        #expect(AuthStateError(.providerError, stage: .token, "x", response: response).recognizedFailure == nil)
        // AADSTS70008 is about a code.
        let expired = OAuthErrorResponse(
            error: "invalid_grant", errorDescription: "AADSTS700082: The refresh token expired.")
        #expect(RecognizedFailure(expired, at: .token) == nil)
    }

    @Test func `each failure has one row, and words that are in lowercase`() {
        #expect(Set(RecognizedFailure.table.map(\.name)).count == RecognizedFailure.table.count)
        for row in RecognizedFailure.table {
            #expect(row.hint.hasSuffix(".") && !row.signs.isEmpty)
            for sign in row.signs {
                #expect(!sign.texts.isEmpty)
                if sign.place != .error { #expect(sign.texts.allSatisfy { $0 == $0.lowercased() }) }
            }
        }
    }
}
