import AuthStateKit
import AuthenticationServices
import Foundation
import UIKit

/// Takes the system's window through its outcomes on the stub, which calls back on another thread as macOS does.
@main
struct WebAuthenticationBehaviour {
    @MainActor
    static func main() async throws {
        let window = UIWindow(windowScene: UIWindowScene())
        var scheme = try RedirectURI("com.example.app:/callback")

        StubBrowser.act = .end("com.example.app:/callback?code=1&state=2")
        let answer = try await present(at: scheme, on: { window })
        check(answer.url == "com.example.app:/callback?code=1&state=2", "the answer arrives as it came")
        var seen = last()
        check(seen.scheme == "com.example.app" && seen.host == nil, "the scheme ends the window")
        check(seen.hasAnchor, "the anchor is alive while the window is open")
        check(!seen.isEphemeral && seen.headerFields == nil, "nothing is set that was not asked for")

        StubBrowser.act = .end("https://app.example/callback?code=1")
        _ = try await present(
            at: RedirectURI("https://app.example/callback"), on: { window },
            configuration: .init(prefersEphemeralWebBrowserSession: true, additionalHeaderFields: ["X-App": "1"]))
        seen = last()
        check(
            seen.host == "app.example" && seen.path == "/callback" && seen.scheme == nil, "host and path end the window"
        )
        check(seen.isEphemeral && seen.headerFields == ["X-App": "1"], "options reach the session")

        let failures: [(Int, String?, AuthStateError.Code)] = [
            (1, nil, .userCancelled), (2, nil, .browserUnavailable), (3, nil, .browserUnavailable),
        ]
        for (code, reason, expected) in failures {
            StubBrowser.act = .fail(code: code, reason: reason)
            check(await failure(at: scheme, on: { window })?.code == expected, "error \(code) is \(expected.rawValue)")
        }
        scheme = try RedirectURI("https://app.example/callback")
        StubBrowser.act = .fail(code: 1, reason: "not associated with domain app.example")
        check(await failure(at: scheme, on: { window })?.code == .invalidRedirectURI, "a missing association is told")
        scheme = try RedirectURI("com.example.app:/callback")
        StubBrowser.act = .refuse
        check(await failure(at: scheme, on: { window })?.code == .browserUnavailable, "start() may refuse")

        let count = StubBrowser.seen.count
        check(await failure(at: scheme, on: { nil })?.code == .browserUnavailable, "without a window nothing starts")
        check(await failure(at: scheme, on: nil)?.code == .browserUnavailable, "without a scene there is no window")
        check(StubBrowser.seen.count == count, "nothing was started without a window")
        let scene = UIWindowScene()
        scene.windows = [window]
        UIApplication.shared.connectedScenes = [UIScene(), scene]
        StubBrowser.act = .end("com.example.app:/callback?code=1&state=2")
        _ = try await present(at: scheme, on: nil)
        check(last().hasAnchor, "the window in front is found")

        StubBrowser.act = .wait
        let cancelled = StubBrowser.cancellations
        let task = Task { [scheme] in await failure(at: scheme, on: { window }) }
        while StubBrowser.seen.count == count + 1 { await Task.yield() }
        task.cancel()
        check(await task.value == nil, "a cancelled task throws CancellationError")
        check(StubBrowser.cancellations == cancelled + 1, "a cancelled task closes the window")
        print("the system's window behaves")
    }

    @MainActor
    private static func present(
        at redirectURI: RedirectURI, on anchor: (@MainActor @Sendable () -> ASPresentationAnchor?)?,
        configuration: WebAuthenticationUserAgent.Configuration = .init()
    ) async throws -> AuthorizationCallback {
        let agent = WebAuthenticationUserAgent(configuration: configuration, presentationAnchor: anchor)
        let session = try await agent.prepare(redirectURI: redirectURI, for: .login)
        guard let page = URL(string: "https://op.example/authorize?state=2") else { fatalError("no URL") }
        do {
            let answer = try await session.present(page)
            await session.finish(.completed)
            return answer
        } catch {
            await session.finish(error is CancellationError ? .cancelled : .completed)
            throw error
        }
    }

    @MainActor
    private static func failure(
        at redirectURI: RedirectURI, on anchor: (@MainActor @Sendable () -> ASPresentationAnchor?)?
    ) async -> AuthStateError? {
        do {
            _ = try await present(at: redirectURI, on: anchor)
            return nil
        } catch { return error as? AuthStateError }
    }

    private static func last() -> StubBrowser.Seen {
        guard let seen = StubBrowser.seen.last else { fatalError("no session was started") }
        return seen
    }

    private static func check(_ holds: Bool, _ what: String) {
        guard !holds else { return }
        print("failed: \(what)")
        exit(1)
    }
}
