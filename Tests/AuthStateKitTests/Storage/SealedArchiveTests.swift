import AuthStateKit
import AuthStateStorage
import Foundation
import Testing

struct SealedArchiveTests {
    /// Written by Tests/Fixtures/make-sealed-state.py.
    static let golden = """
        {"content":"oKGio6SlpqeoqaqrwvNbCY_YO3BdNJNH0_ZU5SOykiMjShLhQSmwjjoat15Uv7vyzYH1d38zlLTUUyhVfMUY5rHm74fXEcNxc8nulh\
        3656sIpw","key":"2026-11","sealed":1}
        """
    static let content = #"{"format":1,"state":{"refreshToken":"SECRET-refresh"}}"#
    static let stateKey: AuthStateKey = "user/é"
    let key: SealingKey

    init() throws { key = try SealingKey(id: "2026-11", bytes: Array(1...32)) }

    private func open(_ bytes: some Sequence<UInt8>) throws -> Data? {
        try SealedArchive(data: Data(bytes))?.open(as: Self.stateKey, with: [key])
    }

    /// Expects an error of the store that is fit for a log, shows no secret and leaves what is stored alone.
    @discardableResult
    private func refusal(
        _ bytes: some Sequence<UInt8>, sourceLocation: SourceLocation = #_sourceLocation
    ) -> AuthStateError? {
        let error = #expect(throws: AuthStateError.self, sourceLocation: sourceLocation) { try open(bytes) }
        #expect(error?.stage == .store && error?.kind == .store, sourceLocation: sourceLocation)
        if let text = error?.description {
            #expect(text.printable(1000) == text && !text.contains("SECRET"), sourceLocation: sourceLocation)
        }
        return error
    }

    @Test func `an archive that another implementation sealed in format 1 is opened, and written the same`() throws {
        let sealed = try #require(try SealedArchive(data: Data(Self.golden.utf8)))
        #expect(try text(sealed.open(as: Self.stateKey, with: [key])) == Self.content)
        #expect(text(sealed.data) == Self.golden)
    }

    @Test func `an archive that is sealed here has that format, and its content is never the same twice`() throws {
        let sealed = try (0..<50).map { _ in
            try SealedArchive(sealing: Data(Self.content.utf8), of: Self.stateKey, with: key).data
        }
        #expect(Set(sealed).count == 50)
        for data in sealed {
            let json = try #require(try JSONValue(parsing: [UInt8](data)).objectValue)
            #expect(json.keys.sorted() == ["content", "key", "name", "sealed"])
            #expect(json["sealed"] == 1 && json["key"] == "2026-11")
            // The golden one is of a version that did not name the key: 28 bytes and the key, as base64url.
            let name = (28 + Self.stateKey.rawValue.utf8.count) * 8
            let length: Int = Self.golden.utf8.count + #","name":"""#.utf8.count + (name + 5) / 6
            #expect(data.count == length)
            #expect(try text(#require(try open(data))) == Self.content)
        }
    }

    @Test("a change of any bit is an error")
    func changedBits() {
        let golden = Array(Self.golden.utf8)
        for index in golden.indices {
            for bit in 0..<8 {
                var changed = golden
                changed[index] ^= 1 << bit
                refusal(changed)
            }
        }
    }

    @Test func `a byte that is gone, doubled, or has changed places is an error`() {
        let golden = Array(Self.golden.utf8)
        for index in golden.indices {
            var (shorter, longer, swapped) = (golden, golden, golden)
            shorter.remove(at: index)
            longer.insert(golden[index], at: index)
            swapped.swapAt(index, golden.count - 1 - index)
            refusal(shorter)
            refusal(longer)
            if swapped != golden { refusal(swapped) }
        }
    }

    @Test func `a part of an archive is corrupt`() {
        let golden = Array(Self.golden.utf8)
        for count in 0..<golden.count {
            #expect(refusal(golden.prefix(count))?.code == .storeCorrupt)
            #expect(refusal(golden.suffix(count))?.code == .storeCorrupt)
        }
    }

    @Test(
        "text that is no sealed archive is refused",
        arguments: [
            ("", AuthStateError.Code.storeCorrupt), ("{}", .storeCorrupt), ("[]", .storeCorrupt), ("1", .storeCorrupt),
            (#"{"sealed":1}"#, .storeCorrupt), (#"{"sealed":1,"key":"2026-11"}"#, .storeCorrupt),
            (#"{"sealed":1,"key":1,"content":""}"#, .storeCorrupt),
            (#"{"sealed":1,"key":"2026-11","content":""}"#, .storeCorrupt),
            (#"{"sealed":1,"key":"2026-11","content":"AAAA"}"#, .storeCorrupt),
            (#"{"sealed":1,"key":"2026-11","content":"AAAA=="}"#, .storeCorrupt),
            (#"{"sealed":1,"sealed":1,"key":"2026-11","content":"AAAA"}"#, .storeCorrupt),
            (#"{"sealed":"1","key":"2026-11","content":"AAAA"}"#, .storeCorrupt),
            (#"{"sealed":0,"key":"2026-11","content":"AAAA"}"#, .storeCorrupt),
            (#"{"sealed":-1,"key":"2026-11","content":"AAAA"}"#, .storeCorrupt),
            (#"{"sealed":2}"#, .storeTooNew), (#"{"sealed":9223372036854775807}"#, .storeTooNew),
            (#"{"sealed":1,"key":"2025","content":"AAAA"}"#, .storeUnreadable),
            (#"{"sealed":1,"key":"","content":"AAAA"}"#, .storeUnreadable),
        ])
    func others(_ text: String, _ code: AuthStateError.Code) { #expect(refusal(text.utf8)?.code == code) }

    @Test func `a foreign name in an archive is cut and cleaned in errors`() {
        let name = "\\u001b[31m\\n" + String(repeating: "x", count: 5000)
        let error = refusal(#"{"sealed":1,"key":"\#(name)","content":"AAAA"}"#.utf8)
        #expect((error?.description.count ?? 9999) < 600)
    }

    @Test("an archive opens only under the key that it was stored under", arguments: ["user/e", "user", "", "user/é,"])
    func otherStateKey(_ name: String) throws {
        let sealed = try #require(try SealedArchive(data: Data(Self.golden.utf8)))
        let error = #expect(throws: AuthStateError.self) {
            try sealed.open(as: AuthStateKey(rawValue: name), with: [key])
        }
        #expect(error?.code == .storeCorrupt)
    }

    @Test func `names that could run into each other are kept apart`() throws {
        // As plain text, both would be `1a:b` behind each other.
        let (first, second) = (
            try SealingKey(id: "1", bytes: Array(1...32)), try SealingKey(id: "1a", bytes: Array(1...32))
        )
        let sealed = try SealedArchive(sealing: Data(), of: "ab", with: first)
        let renamed = text(sealed.data).replacing(#""key":"1""#, with: #""key":"1a""#)
        let found = try #require(try SealedArchive(data: Data(renamed.utf8)))
        #expect(throws: AuthStateError.self) { try found.open(as: "b", with: [second]) }
    }

    @Test func `an archive that is not sealed is told from everything else`() throws {
        #expect(try SealedArchive(data: Data(Self.content.utf8)) == nil)
        #expect(throws: AuthStateError.self) { try SealedArchive(data: Data("hello".utf8)) }
    }

    @Test func `a sealed archive that is read as a plain one is an error that says so`() {
        let error = #expect(throws: AuthStateError.self) { try AuthStateArchive(data: Data(Self.golden.utf8)) }
        #expect(error?.code == .storeUnreadable)
        #expect(error?.message.contains("sealed") == true && error?.hint?.contains("SealedAuthStateStore") == true)
    }
}
