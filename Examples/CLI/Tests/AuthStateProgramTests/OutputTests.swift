import AuthStateKit
import AuthStateOAuth
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AuthStateProgram

struct OutputTests {
    private let configuration = ProviderConfiguration(
        authorizationEndpoint: nil, tokenEndpoint: URL(filePath: "/unused"))

    @Test func `an error as JSON has its known members and no others`() {
        let error = AuthStateError(
            .invalidGrant, stage: .refresh, "Refused.", expected: "this", hint: "Log in.",
            response: OAuthErrorResponse(error: "invalid_grant"), httpStatus: 400)
        #expect(
            error.json == [
                "code": "invalidGrant", "kind": "reauthenticationRequired", "stage": "refresh", "message": "Refused.",
                "expected": "this", "hint": "Log in.", "oauth_error": "invalid_grant", "http_status": 400,
            ])
    }

    @Test func `the advice names this program's commands and options`() {
        #expect(AuthStateError.notLoggedIn.advised.hint == "Log in with 'authstate login'.")
        #expect(
            AuthStateError(.insecureURL, stage: .discovery, "").advised.hint?.contains("--allow-insecure-http") == true)
        #expect(
            AuthStateError(.browserUnavailable, stage: .authorization, "").advised.hint?.contains("--paste") == true)
        #expect(AuthStateError(.portInUse, stage: .logout, "").advised.hint?.contains("--post-logout") == true)
    }

    @Test("no advice shows the name of a tolerance as programs write it", arguments: ToleranceName.allCases)
    func tolerance(_ name: ToleranceName) {
        let error = AuthStateError(
            .malformedResponse, stage: .token, "",
            hint: "Tolerate \(name.tolerance.rawValue) where the provider needs it.")
        #expect(error.advised.hint == "Use --tolerate \(name.rawValue) where the provider needs it.")
    }

    @Test("the advice after a refused registration is not to log in")
    func registration() {
        let page = AuthStateError(
            .refusedWithoutReason, stage: .registration,
            "The registration endpoint refused without a reason (status 400).", hint: "Check what is registered.")
        let hint = page.advised.hint ?? ""
        #expect(hint.contains("--auth-method") && hint.contains("--client-id") && !hint.contains("og in"))
        let denied = AuthStateError(.accessDenied, stage: .registration, "Refused.", hint: "Log in again.")
        #expect(denied.advised.hint?.contains("--initial-access-token-env") == true)
    }

    @Test("a logout that is over leaves nothing to try again")
    func logout() {
        let busy = AuthStateError(.unreachable, stage: .logout, "Could not connect.", hint: "Try again later.")
        let outcome = LogoutOutcome(removal: .done, revocation: .failed(busy), session: .failed(busy))
        #expect(LogoutSummary(outcome).failures.allSatisfy { $0.advised.hint?.contains("gain") == false })
        let kept = LogoutOutcome(removal: .failed(busy), revocation: .done, session: .ended)
        #expect(LogoutSummary(kept).failures.map(\.hint) == ["Try again later."])
    }

    @Test func `a state shows scope and expiry, and no token`() {
        let now = Date(timeIntervalSince1970: 1000)
        var record = AuthState.Record(Client(configuration, id: "cli"))
        record.lastTokenResponse = TokenResponse(
            accessToken: "secret-access", issuedAt: now, accessTokenExpirationDate: now + 60)
        record.refreshToken = "secret-refresh"
        record.scope = "openid"
        let summary = StateSummary(record: record, now: now)
        #expect(summary.json["authorized"] == true && summary.json["can_renew"] == true)
        record.authorizationError = AuthStateError(.invalidGrant, stage: .refresh, "Refused.")
        #expect(StateSummary(record: record, now: now).json["can_renew"] == false)
        #expect(summary.json["scope"] == "openid")
        #expect(summary.json["expires_at"] == 1060)
        #expect(summary.json["expires_in"] == 60)
        #expect(!String(decoding: summary.json.serialized(), as: UTF8.self).contains("secret"))
        #expect(!summary.lines.joined().contains("secret"))
    }

    @Test func `an expired token that cannot be renewed is no login`() {
        let now = Date(timeIntervalSince1970: 1000)
        var record = AuthState.Record(Client(configuration, id: "cli"))
        record.lastTokenResponse = TokenResponse(accessToken: "a", issuedAt: now, accessTokenExpirationDate: now)
        #expect(!StateSummary(record: record, now: now).isUsable)
        record.refreshToken = "r"
        #expect(StateSummary(record: record, now: now).isUsable)
    }

    @Test(
        "a resource's status decides the exit code",
        arguments: [
            (200, ExitReason.done), (204, .done), (304, .done), (403, .resource), (404, .resource), (500, .resource),
        ])
    func response(status: Int, expected: ExitReason) {
        let response = TransportResponse(status: status, headers: ["X-A": "1", "x-a": "2"], body: Data("hi".utf8))
        let report = ResponseReport(response, of: URL(filePath: "/")).report
        #expect(report.status == expected)
        #expect(report.json == ["status": JSONValue(status), "headers": ["x-a": "1, 2"], "body": "hi"])
        #expect(report.data == Array("hi".utf8))
    }

    @Test("messages of a program that serves others hold nothing up while they are not read; some are left out")
    func unread() {
        let texts = Mutex<[String]>([])
        let mayWrite = DispatchSemaphore(value: 0)
        let queue = MessageQueue { text in
            mayWrite.wait()
            texts.withLock { $0.append(text) }
        }
        for number in 0..<1000 { queue.post("\(number)") }
        queue.finish()
        #expect(texts.withLock { $0 } == [])
        for _ in 0...MessageQueue.limit { mayWrite.signal() }
        while texts.withLock({ $0.count }) <= MessageQueue.limit { queue.finish() }
        let written = texts.withLock { $0 }
        #expect(written.first == "0" && written.contains { $0.hasPrefix("900 messages were left out") })
        mayWrite.signal()
        queue.post("later")
        while texts.withLock({ $0.last }) != "later" { queue.finish() }
    }

    @Test("terminal control characters are removed")
    func plain() { #expect("a\u{1B}[2Jb\nc\u{202E}".plain == "a\u{FFFD}[2Jb\nc\u{FFFD}") }

    @Test("a provider's text begins no line of its own, and is unchanged in JSON")
    func providerText() throws {
        let hostile = "Ada\nadmin: yes\u{1B}]0;x\u{07}\u{9B}31m\u{202E}\u{2066}\u{61C}\u{200F}\u{7F}\t\u{E0001}"
        let report = Report(json: ["name": .string(hostile)], lines: ["name: \(hostile)"])
        let line = String(decoding: report.data, as: UTF8.self)
        #expect(line.filter { $0 == "\n" }.count == 1 && line.hasSuffix("\n"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { $0.isPrintable })
        let json = String(decoding: report.json.printed, as: UTF8.self)
        #expect(json.unicodeScalars.allSatisfy { $0.isPrintable })
        #expect(try JSONValue(parsing: Array(json.utf8)) == ["name": .string(hostile)])
        let response = TransportResponse(status: 200, body: Data("\u{1B}[2J".utf8))
        #expect(ResponseReport(response, of: URL(filePath: "/")).report.data == Array("\u{1B}[2J".utf8))
    }

    @Test("a wider scope than was asked for, offline access without a refresh token, and an unknown user are told")
    func scopes() {
        #expect(ScopeNote.beyond("a b c", ["a"])?.hasSuffix(": b c.") == true)
        for (granted, asked) in [("a", ["a", "b"]), ("a b", []), (nil, ["a"])] as [(String?, [Scope])] {
            #expect(ScopeNote.beyond(granted, asked) == nil)
        }
        var record = AuthState.Record(Client(configuration, id: "cli"))
        #expect(ScopeNote.offline(record, [.openID, .offlineAccess])?.contains("--prompt consent") == true)
        #expect(ScopeNote.offline(record, [.openID]) == nil)
        #expect(ScopeNote.identity(record, [.openID])?.contains("is not known") == true)
        #expect(ScopeNote.identity(record, [.profile]) == nil)
        record.scope = "openid"
        #expect(ScopeNote.identity(record, []) != nil)
        record.refreshToken = "r"
        #expect(ScopeNote.offline(record, [.offlineAccess]) == nil)
    }

    @Test func `a provider's sentence gets no second full stop`() {
        let error = AuthStateError(.tokenRejected, stage: .resource, "Refused.", received: "It is over.", hint: "Ask.")
        #expect(error.description == "Refused. Received It is over. Ask.")
    }

    @Test func `a hint that names a command or an option already stays as it is`() {
        let own = AuthStateError(.notLoggedIn, stage: .store, "Nobody.", hint: "Use 'authstate login --register'.")
        #expect(own.advised.hint == own.hint)
        let other = AuthStateError(.notLoggedIn, stage: .store, "Nobody.", hint: "Log in.")
        #expect(other.advised.hint == "Log in with 'authstate login'.")
    }

    @Test(
        "what the library's advice names is named as the option is",
        arguments: [
            (
                AuthStateError.Code.invalidRequest, "Ask with prompt=consent, if so.",
                "Log in with --prompt consent, if so."
            ),
            (.invalidScope, "x. Ask with prompt=consent, if so.", "--scope for what the provider knows"),
            (.invalidScope, "x. Ask with prompt=consent, if so.", " Log in with --prompt consent, if so."),
            (.invalidIDToken, "Without max_age it succeeds.", "Without --max-age it succeeds."),
            (.malformedResponse, "Ask for the response mode query.", "Log in with --response-mode query."),
            (.loginRequired, "Leave out prompt=none.", "without --prompt none"),
            (.loginRequired, "Log in with a page.", "Log in with 'authstate login'."),
        ])
    func options(_ code: AuthStateError.Code, _ given: String, _ shown: String) {
        let response = code == .invalidScope ? OAuthErrorResponse(error: "invalid_scope") : nil
        let error = AuthStateError(code, stage: .authorization, "Refused.", hint: given, response: response)
        #expect(error.advised.hint?.contains(shown) == true, "\(error.advised)")
    }

    @Test func `a refused proof: no key, a clock that is off, or a provider that wants none with a pushed request`() {
        func advice(_ hint: String, _ stage: AuthStateError.Stage) -> String? {
            AuthStateError(.invalidDPoPProof, stage: stage, "Refused.", hint: hint).advised.hint
        }
        let usual = "Check this machine's clock, and the algorithms."
        #expect(advice("Bind it: give the request a dpopKey.", .token) == "Bind it: log in with --dpop.")
        #expect(advice(usual, .authorization)?.contains("--tolerate unproven-push") == true)
        #expect(advice(usual, .token) == usual)
        #expect(advice("Set this machine's clock: 5 s.", .authorization) == "Set this machine's clock: 5 s.")
    }

    @Test(
        "a recognised failure has its own advice, with this program's options",
        arguments: [
            ("invalid_client", "The OAuth client was not found.", "Check --client-id,"),
            ("invalid_grant", "Incorrect redirect_uri", "--redirect-uri"), ("invalid_scope", nil, "--scope"),
            ("invalid_client", "client_secret is missing.", "--client-secret-env"),
            ("invalid_client", "AADSTS7000222: expired", "has not expired"),
        ])
    func recognised(_ error: String, _ description: String?, _ hint: String) {
        let response = OAuthErrorResponse(error: error, errorDescription: description)
        let refusal = AuthStateError(response.code, stage: .token, "Refused.", hint: "x", response: response)
        #expect(refusal.advised.hint?.contains(hint) == true)
    }

    @Test func `a refused client's advice is the library's, with this program's options`() {
        let error = AuthStateError(
            .invalidClient, stage: .token, "Refused.",
            hint: "Check the client identifier and its secret. Some take it in the form (client_secret_post).")
        #expect(
            error.advised.hint == "Check --client-id and the secret of --client-secret-env. "
                + "Some take it in the form (--auth-method post).")
    }

    @Test("a tolerance that would help is named as the option is", arguments: ToleranceName.allCases)
    func tolerances(_ name: ToleranceName) {
        let error = AuthStateError(
            .unsupportedTokenType, stage: .token, "Refused.", hint: "Tolerate \(name.tolerance.rawValue) if so.")
        #expect(error.advised.hint == "Use --tolerate \(name.rawValue) if so.")
    }

    @Test func `a refusal without a reason asks for another login only where a renewal was refused`() {
        func hint(_ stage: AuthStateError.Stage) -> String {
            AuthStateError(.refusedWithoutReason, stage: stage, "Refused.", hint: "Log in again.").advised.hint ?? ""
        }
        #expect(hint(.refresh).contains("'authstate login'"))
        #expect(hint(.token).hasPrefix("Check that the provider offers this") && !hint(.token).contains("ogin"))
    }
}
