import AuthStateJOSE
import Testing

struct AES256GCMTests {
    private static let key = SecretBytes(Array(1...32))
    private let cipher: AES256GCM

    init() throws { cipher = try AES256GCM(key: Self.key) }

    private func expectRefusal(
        _ sealed: [UInt8], _ data: [UInt8] = [], cipher: AES256GCM? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: JOSEError.self, sourceLocation: sourceLocation) {
            try (cipher ?? self.cipher).open(sealed, authenticating: data)
        }
        #expect(error?.code == .decryptionFailed, sourceLocation: sourceLocation)
    }

    /// The Galois/Counter Mode of Operation (McGrew and Viega), test cases 13, 14 and 16.
    private static let vectors: [(key: String, nonce: String, data: String, message: String, output: String)] = [
        (
            String(repeating: "0", count: 64), String(repeating: "0", count: 24), "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            String(repeating: "0", count: 64), String(repeating: "0", count: 24), "",
            "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    @Test("the designers' own examples are sealed and opened", arguments: vectors)
    func examples(key: String, nonce: String, data: String, message: String, output: String) throws {
        let sealed = try Cryptography.backend.seal(
            hex(message), key: hex(key), nonce: hex(nonce), authenticating: hex(data))
        #expect(try sealed == hex(output))
        let cipher = try AES256GCM(key: SecretBytes(hex(key)))
        #expect(try cipher.open(hex(nonce) + sealed, authenticating: hex(data)) == hex(message))
    }

    @Test("a sealed message of any length is opened", arguments: [0, 1, 15, 16, 17, 31, 4096, 100_000])
    func roundTrip(_ count: Int) throws {
        let (message, data) = (SecureRandom.bytes(count), SecureRandom.bytes(count % 40))
        let sealed = try cipher.seal(message, authenticating: data)
        #expect(sealed.count == count + 28)
        #expect(try cipher.open(sealed, authenticating: data) == message)
    }

    @Test func `the same message is never sealed alike twice`() throws {
        let sealed = try (0..<1000).map { _ in try cipher.seal("the same".utf8, authenticating: []) }
        let (nonces, rests) = (sealed.map { Array($0.prefix(12)) }, sealed.map { Array($0.dropFirst(12)) })
        #expect(Set(nonces).count == 1000)
        #expect(Set(rests).count == 1000)
    }

    @Test func `a change of any bit is refused`() throws {
        let sealed = try cipher.seal("a message".utf8, authenticating: "data".utf8)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                expectRefusal(changed, Array("data".utf8))
            }
        }
    }

    @Test func `a sealed message that is cut or longer is refused`() throws {
        let sealed = try cipher.seal("a message".utf8, authenticating: [])
        for count in 0..<sealed.count {
            expectRefusal(Array(sealed.prefix(count)))
            expectRefusal(Array(sealed.suffix(count)))
        }
        expectRefusal(sealed + [0])
        expectRefusal([0] + sealed)
    }

    @Test func `other associated data and another key are refused, with the same error`() throws {
        let sealed = try cipher.seal("a message".utf8, authenticating: [1, 2])
        for data: [UInt8] in [[], [1], [1, 2, 0], [2, 1]] { expectRefusal(sealed, data) }
        expectRefusal(sealed, [1, 2], cipher: try AES256GCM(key: SecretBytes(Array(2...33))))
    }

    @Test(
        "keys and nonces of another length are refused before anything reads them", arguments: [0, 16, 24, 31, 33, 64])
    func lengths(_ count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        let calls: [() throws -> Any] = [
            { try AES256GCM(key: SecretBytes(bytes)) },
            { try Cryptography.backend.seal([], key: bytes, nonce: Array(1...12), authenticating: []) },
            { try Cryptography.backend.open(Array(1...16), key: bytes, nonce: Array(1...12), authenticating: []) },
            { try Cryptography.backend.seal([], key: Array(1...32), nonce: bytes, authenticating: []) },
        ]
        for call in calls {
            let error = #expect(throws: JOSEError.self) { _ = try call() }
            #expect(error?.code == .malformed)
            #expect(error?.received == "\(count) bytes")
        }
    }

    @Test func `many tasks seal and open at once with one key`() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask { [cipher] in
                    let message = [UInt8](repeating: UInt8(number), count: 3000)
                    return try (0..<20).allSatisfy { _ in
                        try cipher.open(cipher.seal(message, authenticating: [7]), authenticating: [7]) == message
                    }
                }
            }
            for try await isGood in group { #expect(isGood) }
        }
    }

    @Test func `a cipher shows nothing of its key`() {
        var dumped = ""
        dump(cipher, to: &dumped)
        for text in ["\(cipher)", String(reflecting: cipher), dumped] {
            #expect(!text.contains("1, 2, 3") && !text.contains("01020304"))
            #expect(text.contains("redacted"))
        }
    }
}
