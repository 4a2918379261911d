import AuthStateFoundation
import AuthStateJOSE
import Testing

@testable import AuthStateKit
@testable import AuthStateUserAgent

@Suite(.timeLimit(.minutes(5))) struct LoopbackDeskTests {
    private static let display = ["DISPLAY": ":0"]
    private let screen = Screen()

    /// The lines that a user has seen.
    private final class Screen: Sendable {
        private let lines = Lock<[String]>([])
        var texts: [String] { lines.withLock { $0 } }
        func show(_ text: String) { lines.withLock { $0.append(text) } }
    }

    private func desk(_ environment: [String: String], isInteractive: Bool) -> LoopbackUserAgent.Desk {
        LoopbackUserAgent.Desk(
            environment: environment, isInteractive: isInteractive, show: { [screen] in screen.show($0) },
            paste: PasteUserAgent(
                show: { [screen] in screen.show($0.absoluteString) },
                read: { "http://127.0.0.1:\(PasteUserAgent.unusedPort)/callback?code=1" }))
    }

    /// Presents the page in a browser that ends with an error, which ends the trip.
    private func fail(in browser: Browser, isInteractive: Bool) async throws {
        let agent = LoopbackUserAgent(browser: browser, at: desk(Self.display, isInteractive: isInteractive))
        let session = try await agent.prepare(redirectURI: nil, for: .login)
        #expect(await authError { try await session.present(LoopbackTrip.page) }?.code == .browserUnavailable)
        await session.finish(.cancelled)
    }

    @Test("in a terminal the one-time address is shown, and not the request", arguments: [true, false])
    func announced(isInteractive: Bool) async throws {
        try await fail(in: .command(["/bin/false"]), isInteractive: isInteractive)
        #expect(screen.texts.count == (isInteractive ? 1 : 0))
        #expect(screen.texts.allSatisfy { $0.contains("  http://127.0.0.1:") && !$0.contains("op.example") })
    }

    @Test func `a program that announces the address, or opens it by a function, shows it once`() async throws {
        try await fail(
            in: .command(["/bin/false"]).announcing { [screen] in screen.show($0.path) }, isInteractive: true)
        #expect(screen.texts.count == 1)
        let custom = Browser.custom { [screen] url in
            screen.show(url.path)
            throw AuthStateError(.browserUnavailable, stage: .authorization, "There is none.")
        }
        try await fail(in: custom, isInteractive: true)
        #expect(screen.texts.count == 2)
    }

    #if os(Linux)
        @Test func `without a display the answer is pasted into the terminal`() async throws {
            let agent = LoopbackUserAgent(browser: .system, at: desk([:], isInteractive: true))
            let session = try await agent.prepare(redirectURI: nil, for: .login)
            #expect(try await session.present(LoopbackTrip.page).url == "\(session.redirectURI.rawValue)?code=1")
            #expect(screen.texts == [LoopbackTrip.page.absoluteString])
        }

        @Test func `without a display and a terminal the login does not begin`() async throws {
            let agent = LoopbackUserAgent(browser: .system, at: desk(["DISPLAY": ""], isInteractive: false))
            let error = await authError { try await agent.prepare(redirectURI: nil, for: .login) }
            #expect(error?.code == .browserUnavailable && error?.hint != nil)
        }

        @Test func `a command or a function of the program needs no display`() {
            #expect(Browser.command(["firefox"]).isAvailable(environment: [:]))
            #expect(Browser.custom { _ in }.isAvailable(environment: [:]))
            #expect(Browser.system.isAvailable(environment: ["WAYLAND_DISPLAY": "wayland-0"]))
        }

        @Test func `the programs that BROWSER names come first, and stand alone without a display`() {
            func openers(_ environment: [String: String]) -> [[String]] { Browser.openers(environment: environment) }
            #expect(
                openers(["BROWSER": "/opt/b --new-window:w3m %s"]) == [["/opt/b", "--new-window"], ["w3m", "%s"]])
            #expect(openers(["BROWSER": "/opt/b", "DISPLAY": ":0"]).prefix(2) == [["/opt/b"], ["wslview"]])
            for none in ["", ":", "'open"] { #expect(openers(["BROWSER": none]).first == ["wslview"]) }
        }
    #endif
}
