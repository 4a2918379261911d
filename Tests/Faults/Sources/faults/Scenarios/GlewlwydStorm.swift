import AuthStateKit
import Foundation

/// The same at a provider that others wrote; one renewal at a time, and a grant that ends when a token comes again.
enum GlewlwydStorm {
    static let processes = 4

    static let scenario = Scenario(
        name: "glewlwyd", claim: "\(processes) processes share a file and tokens of 1 s of glewlwyd: none is refused",
        twins: [.lease], run: run)

    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../Integration/Providers").standardizedFileURL.path

    private struct Announcement: Decodable {
        var issuer: String
    }

    private static func run(_ conditions: Conditions) async throws -> Findings {
        let glewlwyd = try Program.start(
            ["\(scripts)/glewlwyd/start.sh"], environment: ["ACCESS_TOKEN_SECONDS": "1"])
        defer { glewlwyd.send(SIGTERM) }
        guard let line = try await glewlwyd.firstLine() else {
            let isRequired = ProcessInfo.processInfo.environment["AUTHSTATE_REQUIRE_PROVIDERS"] == "1"
            let reason = "glewlwyd did not start: \(glewlwyd.errors)"
            return isRequired ? Findings(violations: [reason]) : Findings(skipped: reason)
        }
        let folder = try TemporaryFolder()
        try await logIn(JSONDecoder().decode(Announcement.self, from: Data(line.utf8)).issuer, folder)
        let task = WorkerTask(
            file: folder("state.json"), seconds: conditions.seconds, without: conditions.without)
        let (results, seconds) = try await WorkerProcess.run(task, times: processes)
        // It keeps no count: each renewal is one that a process sent.
        let renewals = results.compactMap(\.summary?.renewals).reduce(0, +)
        var findings = Findings()
        findings.judge(results, renewals: renewals, seconds: seconds)
        findings.tables.append(
            table(
                StormFigures.header, [StormFigures(results, renewals: renewals, seconds: seconds).row]))
        return findings
    }

    private static func logIn(_ issuer: String, _ folder: TemporaryFolder) async throws {
        let service = AuthorizationService()
        let browser = ["/usr/bin/python3", "\(scripts)/browser.py", "--follow", "--cookies", folder("cookies")]
        let request = AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: issuer), id: "public"),
            scopes: [.openID, "offline_access"],
            redirectURI: try RedirectURI("http://127.0.0.1:\(RedirectPorts.next())/callback"))
        _ = try await AuthState.logIn(
            .browser(request, LoopbackUserAgent(browser: .command(browser), timeout: .seconds(30))),
            at: AuthState.Place(FileAuthStateStore(file: folder("state.json")), service: service))
    }
}
