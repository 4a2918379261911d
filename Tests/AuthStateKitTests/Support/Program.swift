#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    /// A program that a test runs; its standard error goes nowhere, its standard output to `read`.
    final class Program: Sendable {
        private let child: Child
        private let output: Int32

        /// Starts a program.
        init(_ path: String, _ arguments: [String]) throws {
            var pipes: [Int32] = [0, 0]
            let isPiped = pipe(&pipes) == 0
            try #require(isPiped)
            for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(pipes[1]) }
            do {
                child = try Child(
                    [path] + arguments, environment: ProcessInfo.processInfo.environment,
                    output: .descriptor(pipes[1]), errors: .file("/dev/null"))
            } catch {
                close(pipes[0])
                throw error
            }
            output = pipes[0]
        }

        deinit {
            terminate()
            close(output)
        }

        /// Returns the output since the last call; empty at the program's end. Waits for the first byte.
        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(output, &bytes, bytes.count)
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : ""
        }

        /// Waits for the end and returns the exit code, or 128 and the signal's number.
        @discardableResult
        func wait() -> Int32 { child.wait() }

        /// Ends the program, if it has not ended by itself.
        func terminate() {
            child.send(SIGKILL)
            wait()
        }
    }

    /// Runs a program to its end and returns its exit code.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> Int32 { try Program(program, arguments).wait() }
#endif
