import AuthStateJOSE
import Foundation
import Testing

struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test func `every kind of value is read`() throws {
        let text = #" { "a" : [ null , true, false , -12, 1.5 , 1e3, "x\u00e9\n\/" ], "b":{} , "c":[]} "#
        let expected: JSONValue = ["a": [nil, true, false, -12, 1.5, 1000, "xé\n/"], "b": [:], "c": []]
        #expect(try parse(text) == expected)
        #expect(try parse("\"\"") == "")
    }

    @Test(
        "text that RFC 8259 does not allow is refused",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{,}",
            "tru", "nul", "True", "NaN", "Infinity", "1 2", "{} x", "[] []", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\t\"",
            "\"\u{0}\"", "// c\n1", "[1]\u{0}", "\u{feff}1", "\u{a0}1", "\"\\u12\"", "\"\\u12g4\"",
        ])
    func malformed(_ text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test func `a duplicate member is refused wherever it stands, escaped or not`() {
        for text in [#"{"a":1,"a":1}"#, #"[{"x":{"a":1,"b":2,"a":3}}]"#, #"{"a":1,"\u0061":2}"#] {
            let error = #expect(throws: JSONError.self) { try parse(text) }
            #expect(error?.message == "a member name occurs twice")
        }
        #expect(throws: Never.self) { try parse(#"{"a":{"a":{"a":1}},"A":2}"#) }
    }

    @Test func `nesting is bounded, also when the caller asks for no bound`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try parse(nested(64)) }
        #expect(throws: JSONError.self) { try parse(nested(65)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(3).utf8, maximumDepth: 2) }
        #expect(throws: JSONError.self) {
            try JSONValue(parsing: String(repeating: "[", count: 1_000_000).utf8, maximumDepth: .max)
        }
    }

    @Test(
        "members that are not kept are null, and read all the same",
        arguments: [
            (
                #"{"a":1,"b":"x","c":{"d":[1,"\n"],"e":{"f":2,"g":3}},"h":[{"a":1}],"i":5,"j":true}"#,
                #"{"a":1,"b":null,"c":{"d":null,"e":{"f":2,"g":3}},"h":null,"i":null,"j":null}"#
            ),
            (#"{"a":{"x":[1]},"c":[{"e":1}]}"#, #"{"a":{"x":[1]},"c":null}"#),
            (#"{"\u0061":"ä","c":true,"c2":{"e":1,"e":2}}"#, #"{"a":"ä","c":true,"c2":null}"#),
            (#"{"c":{"e":"1"},"d":[]}"#, #"{"c":{"e":"1"},"d":null}"#), ("[1]", "null"), ("\"a\"", "\"a\""),
        ])
    func kept(_ text: String, _ expected: String) throws {
        #expect(try JSONValue(parsing: text.utf8, keeping: ["a": true, "c": ["e": true]]) == parse(expected))
    }

    @Test(
        "what is not kept is JSON too",
        arguments: [
            "[1,]", "{\"a\"}", "{\"a\":1,}", "\"\\x\"", "\"\t\"", "\"\\uD83D\"", "tru", "01", "1e999", "{", "[", "\"",
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ])
    func unkept(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"x":\#(text)}"#.utf8, keeping: ["a": true]) }
        let invalid = [UInt8](#"{"x":""#.utf8) + [0xC3] + [UInt8](#""}"#.utf8)
        #expect(throws: JSONError.self) { try JSONValue(parsing: invalid, keeping: ["a": true]) }
    }

    @Test func `surrogates come in pairs`() throws {
        #expect(try parse(#""\uD83D\uDE00""#) == "😀")
        for text in [
            #""\uD83D""#, #""\uDE00""#, #""\uDE00\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\uD83D""#,
        ] {
            #expect(throws: JSONError.self) { try parse(text) }
        }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) { #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) } }

    @Test("the replacement character itself is text like any other")
    func replacementCharacter() throws { #expect(try parse("\"\u{FFFD}\"") == "\u{FFFD}") }

    @Test func `integers of 64 bits are exact, larger ones become doubles`() throws {
        #expect(try parse("9223372036854775807").intValue == .max)
        #expect(try parse("-9223372036854775808").intValue == .min)
        #expect(try parse("9223372036854775808").intValue == nil)
        #expect(try parse("9223372036854775808").doubleValue == 0x1p63)
        #expect(try parse("9007199254740993").intValue == 9_007_199_254_740_993)
        #expect(try parse("-0").intValue == 0)
        #expect(try parse("1.7e9").intValue == 1_700_000_000)
        #expect(try parse("1.5").intValue == nil)
    }

    @Test(
        "numbers that JSON does not write are refused",
        arguments: [
            "01", "-01", "+1", "-", ".5", "5.", "1e", "1e+", "1.e1", "0x10", "1e400", "-1e999", "1_000",
            String(repeating: "1", count: 129), "00",
        ])
    func numbers(_ text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test func `an error names the position, and shows nothing of the document`() throws {
        let error = try #require(throws: JSONError.self) { try parse(#"{"secret":"hunter2","secret":1}"#) }
        #expect(error.offset == 20)
        #expect(!error.description.contains("secret") && !error.description.contains("hunter2"))
    }

    @Test(
        "of several errors the first in the document is reported",
        arguments: [
            (#"{"a":1,"a":2,"b"}"#, 7), (#"{"a":1,"a":2,"b":{"c":3,"c":4}}"#, 7), (#"{"a":1,"b":{"c":3,"c":4,}}"#, 18),
            (#"{"a":1,"a":}"#, 11), (#"[{"a":1},{"a":1,"a":2,"#, 16),
        ])
    func firstError(_ text: String, _ offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try parse(text) }
        #expect(error.offset == offset)
    }

    @Test("a character that is written escaped is found wherever it stands in a string", arguments: 0..<20)
    func escapes(_ place: Int) throws {
        let (before, after) = (String(repeating: "é", count: place), String(repeating: "~", count: 19 - place))
        for byte in UInt8.min..<0x80 {
            let text = before + String(Unicode.Scalar(byte)) + after
            let written = JSONValue.string(text).serialized()
            let isEscaped = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            #expect((written != [0x22] + Array(text.utf8) + [0x22]) == isEscaped)
            #expect(try JSONValue(parsing: written) == .string(text))
        }
        for byte in UInt8.min..<0x20 {
            let error = #expect(throws: JSONError.self) { try parse("\"\(before)\(Unicode.Scalar(byte))\(after)\"") }
            #expect(error?.message == "a control character stands in a string")
            #expect(error?.offset == 1 + before.utf8.count)
        }
    }

    @Test func `written JSON is sorted and minimal, and reads back the same`() throws {
        let value: JSONValue = ["b": [1, -2.5, true, nil], "a": "é\"\\\u{1}\n/", "": ["x": 1e22]]
        let text = String(decoding: value.serialized(), as: UTF8.self)
        #expect(text == #"{"":{"x":1e+22},"a":"é\"\\\u0001\n/","b":[1,-2.5,true,null]}"#)
        #expect(try parse(text) == value)
    }

    @Test func `Foundation's coders and ours agree`() throws {
        let value: JSONValue = ["list": [1, 2.5, true, nil, "x"], "max": 9_223_372_036_854_775_807, "snakeCase": [:]]
        let encoded = try JSONEncoder().encode(value)
        #expect(try JSONValue(parsing: encoded) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.serialized())) == value)
    }

    @Test(
        "whole numbers stay the same through Foundation's coders, however they are written",
        arguments: ["222222222222222222.2", "1e18", "9223372036854774784.0", "-9.2e18", "1e19", "0.1", "5e-324"])
    func codedNumbers(_ text: String) throws {
        let value = try parse("[\(text)]")
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.serialized())) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test("combining marks, which the standard library sorts, are bounded wherever a text may be compared")
    func combiningMarks() throws {
        func text(_ count: Int) -> String { String(repeating: "\u{301}", count: count) + "\u{323}" }
        for place in ["{\"%\":1}", "[\"%\"]", "{\"a\":\"\\n%\"}"] {
            #expect(throws: JSONError.self) { try JSONValue(parsing: place.replacing("%", with: text(30)).utf8) }
            _ = try JSONValue(parsing: place.replacing("%", with: text(29)).utf8)
            _ = try JSONValue(parsing: place.replacing("%", with: "\(text(29))a\(text(29))日本").utf8)
        }
        let escaped = String(repeating: "\\u0301", count: 31)
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[\"\(escaped)\"]".utf8) }
    }

    @Test func `time grows linearly with strings, escapes, members and digits`() throws {
        let count = 200_000
        let members = (0..<count / 10).map { "\"\($0)\":1" }.joined(separator: ",")
        let texts = [
            "\"" + String(repeating: "\\n", count: count) + "\"", "{\(members)}",
            "[" + String(repeating: "\"\\u00e9\",", count: count / 10) + "1]",
        ]
        #expect(try ContinuousClock().measure { for text in texts { _ = try parse(text) } } < .seconds(20))
    }
}
