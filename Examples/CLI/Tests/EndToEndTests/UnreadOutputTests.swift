import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// Commands whose output is not read, or cannot be written.
@Suite(.timeLimit(.minutes(5)))
struct UnreadOutputTests {
    private let authstate: Authstate
    private let provider: OpenIDProvider

    init() async throws {
        (authstate, provider) = (try Authstate(), try await OpenIDProvider())
        let service = AuthorizationService()
        let client = Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app")
        _ = try await AuthState.logIn(
            .browser(AuthorizationRequest(client, scopes: [.openID]), DirectUserAgent()),
            at: AuthState.Place(FileAuthStateStore(file: authstate.stateFile), service: service))
    }

    #if os(Linux)
        @Test("a result or an error that cannot be written is told on standard error, and is no success")
        func full() async throws {
            func run(_ words: [String]) async throws -> Program.Result {
                try await Program.run(
                    ["sh", "-c", #"exec "$@" >/dev/full"#, "sh", Authstate.path] + words + [
                        "--state", authstate.stateFile,
                    ])
            }
            let told = "authstate: The output cannot be written: No space left on device.\n"
            for options in [[], ["--json"]] {
                let result = try await run(["token"] + options)
                #expect(result.status == 75 && result.errors == told, "\(options): \(result)")
            }
            let demo = try await Program.run(["sh", "-c", #"exec "$1" demo >/dev/full"#, "sh", Authstate.path])
            #expect(demo.status == 75 && demo.errors == told, "\(demo)")
            _ = try await authstate("logout", "--local")
            let failure = try await run(["token", "--json"])
            #expect(failure.status == 77, "\(failure)")
            #expect(failure.errors.hasPrefix(told + "authstate: No user is logged in"), "\(failure)")
        }
    #endif

    @Test(
        "a signal ends a command whose output is not read, unless it was ignored from the beginning",
        arguments: [false, true])
    func signal(isIgnored: Bool) async throws {
        provider.inject(
            .text(String(repeating: "x", count: 1 << 20), contentType: "text/plain"), at: .resource)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let words = [
            "sh", "-c", isIgnored ? #"trap '' TERM; exec "$@""# : #"exec "$@""#, "sh", Authstate.path, "request",
            provider.url(of: .resource).absoluteString, "--state", authstate.stateFile,
        ]
        let child = try Child(
            words, environment: ProcessInfo.processInfo.environment, output: .descriptor(ends[1]),
            errors: .file(authstate.folder("errors")))
        close(ends[1])
        defer {
            close(ends[0])
            child.send(SIGKILL)
            child.wait()
        }
        // The answer is more than a pipe holds.
        try await eventually("the beginning of the output") {
            var output = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            return poll(&output, 1, 0) == 1 ? () : nil
        }
        child.send(SIGTERM)
        if isIgnored {
            try await Task.sleep(for: .seconds(1))
            #expect(child.status() == nil)
            #expect(try FileHandle(fileDescriptor: ends[0]).readToEnd()?.count == 1 << 20)
        }
        let status = try await eventually("the end of the command", within: .seconds(10)) { child.status() }
        #expect(status == (isIgnored ? 0 : 128 + SIGTERM))
    }
}
