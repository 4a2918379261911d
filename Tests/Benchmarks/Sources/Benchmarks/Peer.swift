import CBenchmarks
import Foundation

/// A child process that answers lines with lines, and ends when its input does.
final class Peer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    init(_ program: String, _ arguments: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Starts this program in another role.
    static func ofThisProgram(_ arguments: String...) throws -> Peer {
        try Peer(Bundle.main.executablePath ?? CommandLine.arguments[0], arguments)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The next line; nil when the peer has ended.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            received += more
        }
    }
}

/// Returns the nanoseconds from a program's start to its end; its output is discarded.
func wholeProcess(_ words: [String]) throws -> Double {
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    let elapsed = BenchmarksRun(&arguments)
    guard elapsed >= 0 else { throw CocoaError(.executableNotLoadable) }
    return elapsed
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
            let build = Process()
            build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            build.arguments = ["go", "build", "-o", program.path, "main.go"]
            build.currentDirectoryURL = source
            build.environment = ProcessInfo.processInfo.environment
                .merging(["GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""]) { $1 }
            try build.run()
            build.waitUntilExit()
            guard build.terminationStatus == 0 else { throw CocoaError(.executableNotLoadable) }
            return try Peer(program.path, arguments)
        } catch {
            print("Go's oauth2 could not be built (packages golang-go, golang-golang-x-oauth2-dev): left out.\n")
            return nil
        }
    }
}
