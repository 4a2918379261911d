import Foundation
import Testing

@testable import AuthStateJOSE

@Suite(.enabled(if: OpenSSLProgram.isInstalled, "no openssl"))
struct OpenSSLProgramTests {
    private static let message = Array("what is signed".utf8)

    @Test(
        "openssl verifies signatures by private keys",
        arguments: [
            (Fixtures.rsaPKCS8, .rs256, ["-digest", "sha256"]),
            (
                Fixtures.rsaPKCS8, .ps256,
                [
                    "-digest", "sha256", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:32",
                    "-pkeyopt", "rsa_mgf1_md:sha256",
                ]
            ),
            (Fixtures.ecPKCS8, .es256, ["-digest", "sha256"]), (Fixtures.edPKCS8, .edDSA, []),
        ] as [(String, SignatureAlgorithm, [String])])
    func privateKeys(_ pem: String, _ algorithm: SignatureAlgorithm, _ options: [String]) throws {
        let signature = try SigningKey(pem: pem, algorithm: algorithm).sign(Self.message)
        let foreign = algorithm == .es256 ? Self.der(signature) : signature
        for (message, isValid) in [(Self.message, true), (Self.message + [0], false)] {
            let program = try OpenSSLProgram(files: ["key": Array(pem.utf8), "message": message, "signature": foreign])
            let verified = try program.run(
                ["pkeyutl", "-verify", "-inkey", "key", "-rawin", "-in", "message", "-sigfile", "signature"] + options)
            #expect((verified.status == 0) == isValid)
        }
    }

    @Test func `openssl verifies an HMAC`() throws {
        let signature = try SigningKey(JSONWebKey(secret: Array(1...32))).sign(Self.message)
        let program = try OpenSSLProgram(files: ["message": Self.message])
        let key = (1...32).map { String(format: "%02x", $0) }.joined()
        let (status, output) = try program.run(
            ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)", "-r", "message"])
        #expect(status == 0)
        #expect(output.hasPrefix(signature.map { String(format: "%02x", $0) }.joined()))
    }

    /// R and S side by side, as two integers in DER.
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { half in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}

/// The program `openssl`, in a folder of its own.
private final class OpenSSLProgram {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString)")

    init(files: [String: [UInt8]]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, content) in files { try Data(content).write(to: folder.appendingPathComponent(name)) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// By `popen`: Foundation's `Process` is not for several threads at once.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let words = (["openssl"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let stream = try #require(popen("cd '\(folder.path)' && exec \(words) 2>/dev/null", "re"))
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { output += chunk.prefix(count) }
        return (pclose(stream), String(decoding: output, as: UTF8.self))
    }
}
