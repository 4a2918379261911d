import AuthStateJOSE
import Foundation

/// Verifying a signature with a key at hand, beside `openssl speed`, which verifies without any digest or copy.
enum Signatures {
    static let benchmarks = [
        Benchmark(name: "verify-rsa", rounds: 9) {
            try await report("rsa2048", [(.rs256, 0.98), (.ps256, nil)], calls: 60_000, rounds: $0)
        },
        Benchmark(name: "verify-ecdsa", rounds: 9) {
            try await report("ecdsap256", [(.es256, 0.98)], calls: 20_000, rounds: $0)
        },
        Benchmark(name: "verify-eddsa", rounds: 5) {
            try await report("ed25519", [(.edDSA, nil)], calls: 15_000, rounds: $0)
        },
    ]

    private static func report(
        _ program: String, _ algorithms: [(SignatureAlgorithm, goal: Double?)], calls: Int, rounds: Int
    ) async throws -> Report {
        let reference = "openssl speed \(program)"
        let ours = try algorithms.map { try contender($0.0, goal: $0.goal) }
        let openSSL = Contender(reference) { _, _ in try OpenSSLSpeed.nanoseconds(program) }
        let rows = try await compare([openSSL] + ours, tasks: 1, calls: calls, rounds: rounds, of: .rate)
        return Report(rows, to: reference)
    }

    /// Verifies one message, as long as an ID token is.
    private static func contender(_ algorithm: SignatureAlgorithm, goal: Double?) throws -> Contender {
        let signer = try SigningKey.generate(algorithm)
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 500)
        let signature = try signer.sign(message)
        guard let scheme = algorithm.scheme else { throw CocoaError(.coderInvalidValue) }
        let verifier = try Cryptography.backend.verifier(scheme, key: signer.publicKey)
        // The program counts processor time, so this does too.
        return Contender(working: algorithm.rawValue, goal: goal.map(Goal.ratio)) { count in
            for _ in 0..<count {
                guard try verifier.isValid(signature, for: message) else {
                    throw CocoaError(.coderInvalidValue)
                }
            }
        }
    }
}

/// OpenSSL's own benchmark.
private enum OpenSSLSpeed {
    /// Runs the program for a second and returns how long one verification took.
    static func nanoseconds(_ algorithm: String) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl", "speed", "-seconds", "1", algorithm]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try withAlarms { try process.run() }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // The last column of the last line is the number of verifications in a second.
        guard let word = text.split(whereSeparator: \.isWhitespace).last, let rate = Double(word), rate > 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        return 1e9 / rate
    }

    /// The program stops itself by an alarm, which the threads of Swift's pool keep from themselves and their children.
    private static func withAlarms(_ body: () throws -> Void) rethrows {
        var alarm = sigset_t()
        var mask = sigset_t()
        sigemptyset(&alarm)
        sigaddset(&alarm, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &alarm, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        try body()
    }
}
