import CBenchmarks
import Foundation

/// A child process that answers lines with lines, and ends when its input does.
final class Peer {
    private var process: pid_t = -1
    private var (input, output): (Int32, Int32) = (-1, -1)
    private var received: [UInt8] = []

    init(_ words: [String]) throws {
        process = withArguments(words) { BenchmarksStart($0, &input, &output) }
        guard process > 0 else { throw CocoaError(.executableNotLoadable) }
    }

    /// Starts this program in another role.
    static func ofThisProgram(_ arguments: String...) throws -> Peer {
        try Peer([Bundle.main.executablePath ?? CommandLine.arguments[0]] + arguments)
    }

    /// Runs a program without input to its end, and returns its output without its errors.
    @discardableResult
    static func output(of words: [String]) throws -> String {
        let peer = try Peer(["sh", "-c", #"exec "$@" 2> /dev/null"#, "sh"] + words)
        var lines: [String] = []
        while let line = peer.line() { lines.append(line) }
        guard peer.end() == 0 else { throw CocoaError(.executableRuntimeMismatch) }
        return (lines + [String(decoding: peer.received, as: UTF8.self)]).joined(separator: "\n")
    }

    deinit { _ = end() }

    /// Ends the input, waits for the end of the process, and returns the number that it ends with.
    private func end() -> Int32 {
        guard process > 0 else { return -1 }
        defer { process = -1 }
        close(input)
        close(output)
        return BenchmarksWait(process)
    }

    func send(_ line: String) throws {
        guard write(input, "\(line)\n", line.utf8.count + 1) == line.utf8.count + 1 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// The next line; nil when the peer has ended.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var more = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &more, more.count)
            if count <= 0 { return nil }
            received += more[..<count]
        }
    }
}

/// Returns the nanoseconds from a program's start to its end; its output is discarded.
func wholeProcess(_ words: [String]) throws -> Double {
    let elapsed = withArguments(words) { BenchmarksRun($0) }
    guard elapsed >= 0 else { throw CocoaError(.executableNotLoadable) }
    return elapsed
}

private func withArguments<R>(_ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R
{
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    return body(&arguments)
}

/// A folder that is removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    /// Makes a folder, on a disk: the system's temporary folder may be kept in memory.
    init() throws {
        path = "/var/tmp/authstate-benchmark-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func write(_ content: Data, as name: String) throws -> String {
        try content.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }
}

/// Go's golang.org/x/oauth2, from the packages golang-go and golang-golang-x-oauth2-dev of Debian.
enum GoPeer {
    /// Builds and starts the program; nil, with a line for the reader, when Go or the package is not installed.
    static func start(_ arguments: [String] = []) -> Peer? {
        let source = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../go").standardizedFileURL
        let program = FileManager.default.temporaryDirectory.appendingPathComponent("authstatekit-go-\(getpid())")
        defer { try? FileManager.default.removeItem(at: program) }
        do {
            let settings = ["GO111MODULE=off", "GOPATH=/usr/share/gocode", "GOFLAGS="]
            _ = try wholeProcess(
                ["env", "--chdir=\(source.path)"] + settings + ["go", "build", "-o", program.path, "main.go"])
            return try Peer([program.path] + arguments)
        } catch {
            print("Go's oauth2 could not be built (packages golang-go, golang-golang-x-oauth2-dev): left out.\n")
            return nil
        }
    }
}
