import AuthStateKit
import Foundation

/// `authstate token` with a fresh token: the whole process, from its start to its end, beside the same program that only tells its
/// version, which is the part of the loader, of Swift's run-time library and of the arguments' parser.
enum CommandLineStart {
    static let benchmark = Benchmark(name: "command-line") { rounds in
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Examples/CLI")
            .standardizedFileURL.path
        let program = "\(package)/.build/release/authstate"
        let folder = try TemporaryFolder()
        let file = try folder.write(
            AuthStateArchive(PooledStates.record(idTokenLength: nil)).data(), as: "state.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let python = interpreter().map { contender("python3 -c pass", [$0, "-c", "pass"]) }
        let words = [program, "token", "--state", file]
        guard (try? wholeProcess(words)) != nil else {
            return Report(
                "Left out: build it with `swift build -c release --static-swift-stdlib --package-path Examples/CLI`.")
        }
        let floor = contender("authstate --version", [program, "--version"])
        let ours = contender("authstate token", words, goal: .ratio(2))
        let contenders = [floor, python, ours].compactMap { $0 }
        let rows = try await compare(contenders, tasks: 1, calls: 20, rounds: rounds)
        return Report(rows, to: contenders[0].name)
    }

    private static func contender(_ name: String, _ words: [String], goal: Goal? = nil) -> Contender {
        Contender(name, goal: goal) { _, calls in
            var sum = 0.0
            for _ in 0..<calls { sum += try wholeProcess(words) }
            return sum / Double(calls)
        }
    }

    /// Returns Python itself: `python3` may be a script that looks for it.
    private static func interpreter() -> String? {
        try? Peer(["python3", "-c", "import sys; print(sys.executable)"]).line()
    }
}
