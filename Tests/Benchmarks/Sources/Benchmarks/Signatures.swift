import AuthStateJOSE
import Foundation

/// Verifying a message's signature with a key at hand, beside `openssl speed` of the same libcrypto: one verification, which takes
/// no digest, and the digest.
enum Signatures {
    static let benchmarks = [
        Benchmark(name: "verify-rsa", rounds: 9) {
            try await report("rsa2048", "sha256", [(.rs256, 0.97), (.ps256, nil)], calls: 60_000, rounds: $0)
        },
        Benchmark(name: "verify-ecdsa", rounds: 9) {
            try await report("ecdsap256", "sha256", [(.es256, 0.97)], calls: 20_000, rounds: $0)
        },
        Benchmark(name: "verify-eddsa", rounds: 5) {
            try await report("ed25519", nil, [(.edDSA, nil)], calls: 15_000, rounds: $0)
        },
    ]

    private static func report(
        _ verification: String, _ digest: String?, _ algorithms: [(SignatureAlgorithm, goal: Double?)], calls: Int,
        rounds: Int
    ) async throws -> Report {
        let reference = "openssl speed \(verification)\(digest.map { " and \($0)" } ?? "")"
        let ours = try algorithms.map { try contender($0.0, goal: $0.goal) }
        let openSSL = Contender(reference) { _, _ in
            try OpenSSLSpeed.verification(verification) + (digest.map { try OpenSSLSpeed.digest($0, of: length) } ?? 0)
        }
        let rows = try await compare([openSSL] + ours, tasks: 1, calls: calls, rounds: rounds, of: .rate)
        return Report(rows, to: reference)
    }

    /// The bytes of a message, as many as an ID token has.
    private static let length = 500

    /// Verifies one message.
    static func contender(
        _ algorithm: SignatureAlgorithm, by backend: any CryptoBackend = Cryptography.backend,
        named name: String? = nil, goal: Double? = nil
    ) throws -> Contender {
        let signer = try SigningKey.generate(algorithm)
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let signature = try signer.sign(message)
        guard let scheme = algorithm.scheme else { throw CocoaError(.coderInvalidValue) }
        let verifier = try backend.verifier(scheme, key: signer.publicKey)
        // The program counts processor time, so this does too.
        return Contender(working: name ?? algorithm.rawValue, goal: goal.map(Goal.ratio)) { count in
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
    /// Returns the nanoseconds of one verification.
    static func verification(_ algorithm: String) throws -> Double {
        // The last column is the number of verifications in a second.
        try 1e9 / last(of: [algorithm])
    }

    /// Returns the nanoseconds of the digest of so many bytes.
    static func digest(_ algorithm: String, of bytes: Int) throws -> Double {
        // The only column is the number of thousands of bytes in a second, with a k.
        try Double(bytes) / last(of: ["-bytes", "\(bytes)", "-evp", algorithm]) * 1e6
    }

    /// Runs the program for a second and returns the number at the end of its output.
    private static func last(of arguments: [String]) throws -> Double {
        let text = try Peer.output(of: ["openssl", "speed", "-seconds", "1"] + arguments)
        let word = text.split(whereSeparator: \.isWhitespace).last.map { $0.hasSuffix("k") ? $0.dropLast() : $0 }
        guard let number = word.flatMap({ Double($0) }), number > 0 else { throw CocoaError(.fileReadUnknown) }
        return number
    }
}
