import Foundation
import Testing

@testable import AuthStateJOSE

struct JSONCodingTests {
    /// Everything that a type may ask of a coder.
    private struct Everything: Codable, Hashable {
        enum Choice: Codable, Hashable {
            case nothing
            case number(Int)
            case pair(String, named: Double)
        }

        struct Name: RawRepresentable, Codable, Hashable { var rawValue: String }

        var text = "schräg \u{1F600} \"\\/\n"
        var flag = true
        var integers: [Int64] = [.min, -1, 0, 1, .max]
        var small: UInt8 = 255
        var float: Float = 0.5
        var double = 1_732_512_345.123
        var whole = 3.0
        var date = Date(timeIntervalSince1970: 1_732_512_345.25)
        var url = URL(string: "https://op.example/a?b=c%20d#e")
        var absent: String?
        var name = Name(rawValue: "openid")
        var choices: [Choice] = [.nothing, .number(7), .pair("a", named: 0.25)]
        var gaps: [Int?] = [1, nil, 3]
        var lists: [[String]] = [["a"], [], ["b", "c"]]
        var table: [String: [Name]] = ["x": [Name(rawValue: "y")], "": []]
        var json: JSONValue = ["a": [1, 2.5, nil, true, "b", ["c": [:]]]]
        var document: [String: JSONValue] = ["d": 1]
        var elements: [JSONValue] = [1, "e"]
    }

    /// A type that writes itself by containers within containers.
    private final class Nested: Codable {
        enum Keys: String, CodingKey { case object, array, inherited }
        var numbers: [Int]

        init(_ numbers: [Int]) { self.numbers = numbers }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            var array = try container.nestedUnkeyedContainer(forKey: .array)
            var object = try array.nestedContainer(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .object)
            numbers = [try object.decode(Int.self)]
            var inner = try array.nestedUnkeyedContainer()
            numbers += [try inner.decode(Int.self), try Int(from: array.superDecoder())]
            numbers.append(try Int(from: container.superDecoder()))
            numbers.append(try Int(from: container.superDecoder(forKey: .inherited)))
            #expect(object.isAtEnd && inner.isAtEnd && array.isAtEnd && array.currentIndex == 3)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var array = container.nestedUnkeyedContainer(forKey: .array)
            var member = array.nestedContainer(keyedBy: Keys.self)
            var object = member.nestedUnkeyedContainer(forKey: .object)
            var inner = array.nestedUnkeyedContainer()
            // In an order that is not the document's.
            try inner.encode(numbers[1])
            try object.encode(numbers[0])
            try numbers[2].encode(to: array.superEncoder())
            try numbers[3].encode(to: container.superEncoder())
            try numbers[4].encode(to: container.superEncoder(forKey: .inherited))
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }

    @Test func `what is encoded is what Foundation encodes, and each reads the other's`() throws {
        let value = Everything()
        let own = try JSONValue(encoding: value)
        let foundations = try Self.encoder.encode(value)
        #expect(own == (try JSONValue(parsing: foundations)))
        #expect(try own.decoded(as: Everything.self) == value)
        #expect(try Self.decoder.decode(Everything.self, from: Data(own.serialized())) == value)
    }

    @Test func `containers within containers are read and written, in any order`() throws {
        let own = try JSONValue(encoding: Nested([1, 2, 3, 4, 5]))
        #expect(own == (try JSONValue(parsing: Self.encoder.encode(Nested([1, 2, 3, 4, 5])))))
        #expect(own == ["array": [["object": [1]], [2], 3], "super": 4, "inherited": 5])
        #expect(try own.decoded(as: Nested.self).numbers == [1, 2, 3, 4, 5])
    }

    @Test func `what is encoded is written as a value of JSON is, and a member that is written twice once`() throws {
        for value in [Everything(), Nested([1, 2, 3, 4, 5]), "a", [Int]()] as [any Encodable] {
            #expect(try JSONValue.serialized(encoding: value) == JSONValue(encoding: value).serialized())
        }
        #expect(try JSONValue.serialized(encoding: Twice()) == Array(#"{"text":"last"}"#.utf8))
    }

    /// A type that writes a member twice.
    private struct Twice: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: JSONPathStep.self)
            try container.encode("first", forKey: .name("text"))
            try container.encode("last", forKey: .name("text"))
        }
    }

    @Test func `a number that JSON cannot write is an error with the way to it`() throws {
        let dates = ["a": [Date(), Date(timeIntervalSince1970: .infinity)]]
        let error = try #require(throws: EncodingError.self) { try JSONValue(encoding: dates) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
    }

    @Test func `scalars alone and empty containers are values too`() throws {
        #expect(try JSONValue(encoding: "a") == "a")
        #expect(try JSONValue(encoding: 1.5) == 1.5)
        #expect(try JSONValue(encoding: [Int]()) == [])
        #expect(try JSONValue(encoding: [String: Int]()) == [:])
        #expect(try JSONValue(encoding: Optional<Int>.none) == nil)
        #expect(try JSONValue.string("a").decoded(as: String.self) == "a")
        #expect(try JSONValue.null.decoded(as: Int?.self) == nil)
    }

    @Test("a date beyond all calendars is read as one within them", arguments: [1.0, -1])
    func largeDate(_ sign: Double) throws {
        let date = try JSONValue(encoding: sign * 1e300).decoded(as: Date.self)
        #expect(date == Date(timeIntervalSince1970: sign * 1e12))
    }

    @Test(
        "a value of another type is an error with the way to it",
        arguments: [
            (["small": 256], "small"), (["small": -1], "small"), (["small": 1.5], "small"), (["text": 1], "text"),
            (["text": nil], "text"), (["integers": [1, "b"]], "integers/1"), (["date": "today"], "date"),
            (["choices": [["number": ["_0": true]]]], "choices/0/number/_0"),
            (["table": ["x": ["y", 1]]], "table/x/1"),
        ] as [(JSONValue, String)])
    func mismatch(_ change: JSONValue, _ path: String) throws {
        var members = try #require(try JSONValue(encoding: Everything()).objectValue)
        members.merge(try #require(change.objectValue)) { $1 }
        let error = try #require(throws: DecodingError.self) {
            try JSONValue.object(members).decoded(as: Everything.self)
        }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            #expect(context.codingPath.map(\.stringValue).joined(separator: "/") == path)
        default: Issue.record("\(error)")
        }
    }

    @Test func `a member that is not there is an error with its name, and an array ends`() throws {
        var members = try #require(try JSONValue(encoding: Everything()).objectValue)
        members["flag"] = nil
        let error = try #require(throws: DecodingError.self) {
            try JSONValue.object(members).decoded(as: Everything.self)
        }
        guard case .keyNotFound(let key, _) = error else { throw error }
        #expect(key.stringValue == "flag")
        let short: JSONValue = ["array": [["object": []], [], 3], "super": 4, "inherited": 5]
        #expect(throws: DecodingError.self) { try short.decoded(as: Nested.self) }
    }

    @Test("a number that JSON cannot write is an error", arguments: [Double.infinity, .nan])
    func infinite(_ number: Double) {
        #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": number]) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Date(timeIntervalSince1970: number)) }
    }
}

extension JSONValue {
    /// What a value is encoded as, read again.
    fileprivate init(encoding value: some Encodable) throws {
        try self.init(parsing: JSONValue.serialized(encoding: value))
    }
}
