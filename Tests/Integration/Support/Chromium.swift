import AuthStateKit
import Foundation
import Testing

/// A headless Chromium with cookies of its own, driven over WebDriver (https://www.w3.org/TR/webdriver2/).
struct Chromium: Sendable {
    private let wire: WebDriver
    private let profile: TemporaryFolder

    /// Runs a body with new browsers, and ends them after it.
    static func run<R: Sendable>(
        _ count: Int = 1, _ body: @Sendable ([Chromium]) async throws -> R
    ) async throws -> R {
        let (driver, port) = try await startDriver()
        do {
            let result = try await run(count, port, body)
            await driver.end()
            return result
        } catch {
            await driver.end()
            throw error
        }
    }

    /// Starts a driver at a port of its choice, at the third attempt at most: it ends where that port is free for IPv4 and
    /// taken for IPv6.
    private static func startDriver(attempts: Int = 3) async throws -> (Program, port: Int) {
        let driver = try Program.start(["chromedriver", "--port=0"])
        do {
            let port = try await eventually("chromedriver's port", within: .seconds(30)) {
                guard !driver.hasEnded else { throw NotInTime(description: "chromedriver has ended") }
                return driver.output.firstMatch(of: /started successfully on port (\d+)\./).flatMap { Int($0.output.1) }
            }
            return (driver, port)
        } catch {
            await driver.end()
            guard attempts > 1 else {
                throw NotInTime(description: "\(error); it said: \(driver.output) \(driver.errors)")
            }
            return try await startDriver(attempts: attempts - 1)
        }
    }

    private static func run<R: Sendable>(
        _ count: Int, _ port: Int, _ body: @Sendable ([Chromium]) async throws -> R
    ) async throws -> R {
        var browsers: [Chromium] = []
        do {
            for _ in 0..<count { browsers.append(try await Chromium(port: port)) }
            let result = try await body(browsers)
            for browser in browsers { await browser.stop() }
            return result
        } catch {
            for browser in browsers { await browser.stop() }
            throw error
        }
    }

    private init(port: Int) async throws {
        profile = try TemporaryFolder()
        var arguments = [
            "--headless=new", "--user-data-dir=\(profile("profile"))", "--window-size=900,640", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-background-networking",
            "--disable-component-update", "--disable-sync",
            // Loopback only: every other name fails to resolve.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        ]
        // Chromium refuses its sandbox to root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        wire = try await WebDriver(port: port, chromiumArguments: arguments)
    }

    private func stop() async { try? await wire.end() }

    /// Opens a page, redirects followed, and returns when it is loaded.
    func open(_ url: String) async throws { _ = try await wire.call("POST", "/url", ["url": .string(url)]) }

    /// The address of the browser's page.
    var url: String { get async throws { try await wire.call("GET", "/url").stringValue ?? "" } }

    /// Waits until the browser has arrived: a click may return before the page that follows it has begun to load.
    func arrives(at place: String, within limit: Duration = .seconds(20)) async throws {
        try await eventually("the browser at \(place)", within: limit) { () -> Bool? in
            guard try await url.hasPrefix(place) else { return nil }
            return try await script("return document.readyState") == "complete" ? true : nil
        }
    }

    /// The text that a user reads.
    var text: String { get async throws { try await script("return document.body.innerText").stringValue ?? "" } }

    /// The text of the one element that a selector finds; nil when there is none.
    func text(_ selector: String) async throws -> String? {
        try await script("const e = document.querySelector(arguments[0]); return e && e.innerText", selector)
            .stringValue
    }

    /// Types into a field, and replaces what stood there.
    func type(_ text: String, into selector: String) async throws {
        let element = try await element(selector)
        _ = try await wire.call("POST", "\(element)/clear")
        _ = try await wire.call("POST", "\(element)/value", ["text": .string(text)])
    }

    /// Clicks; `arrives(at:)` waits for what follows.
    func click(_ selector: String) async throws {
        _ = try await wire.call("POST", "\(try await element(selector))/click")
    }

    /// Runs a script in the page.
    @discardableResult
    func script(_ text: String, _ arguments: String...) async throws -> JSONValue {
        let arguments = arguments.map(JSONValue.string)
        return try await wire.call("POST", "/execute/sync", ["script": .string(text), "args": .array(arguments)])
    }

    /// Runs a script in each page from now on, before the page's own scripts and whatever its policy says.
    func beforeEachPage(_ script: String) async throws {
        let command = "Page.addScriptToEvaluateOnNewDocument"
        _ = try await wire.call(
            "POST", "/goog/cdp/execute", ["cmd": .string(command), "params": ["source": .string(script)]])
    }

    /// A cookie of the page's host, as the browser keeps it.
    func cookie(_ name: String) async throws -> JSONValue? {
        let cookies = try await wire.call("GET", "/cookie").arrayValue ?? []
        return cookies.first { $0["name"]?.stringValue == name }
    }

    /// Puts a cookie into the browser, for the page's host.
    func add(_ name: String, _ value: String) async throws {
        let cookie: JSONValue = [
            "name": .string(name), "value": .string(value), "path": "/", "secure": true, "httpOnly": true,
        ]
        _ = try await wire.call("POST", "/cookie", ["cookie": cookie])
    }

    /// Keeps a picture of the page for people, and says where.
    func picture(_ name: String) async throws {
        let image = try await wire.call("GET", "/screenshot").stringValue
        let bytes = try #require(image.flatMap { Data(base64Encoded: $0) })
        let path = NSTemporaryDirectory() + "authstate-\(name).png"
        try bytes.write(to: URL(fileURLWithPath: path))
        print("A picture of \(name): \(path)")
    }

    private func element(_ selector: String) async throws -> String {
        let found = try await wire.call("POST", "/element", ["using": "css selector", "value": .string(selector)])
        return "/element/\(try #require(found.objectValue?.values.first?.stringValue))"
    }
}
