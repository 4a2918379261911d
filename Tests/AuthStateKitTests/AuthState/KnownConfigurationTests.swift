import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

@testable import AuthStateKit

/// Archives whose configuration was read or written before: nothing else is taken for it, and nothing is lost.
@Suite(.serialized) struct KnownConfigurationTests {
    private let name = "n\(UInt64.random(in: 0 ... .max))"
    private var known: String {
        #"{"issuer":"https://\#(name).example","tokenEndpoint":"https://\#(name).example/token","tolerances":[]}"#
    }

    private func archive(_ configuration: String, rest: String = "") -> String {
        #"{"format":3,"state":{"clientID":"client","configuration":\#(configuration),"credential":{"source":"none"}"#
            + #","grantEpoch":0,"grantID":"","revision":0\#(rest)}}"#
    }

    private func record(_ text: String) throws -> AuthState.Record {
        try AuthStateArchive(data: Data(text.utf8)).record
    }

    @Test func `an archive is read the same, and written the same, the second time`() throws {
        let first = try record(archive(known))
        #expect(try first.client.provider.issuer == Issuer("https://\(name).example"))
        for _ in 0..<3 {
            #expect(try record(archive(known)) == first)
            #expect(try String(decoding: AuthStateArchive(first).data(), as: UTF8.self) == archive(known))
        }
        #expect(try record(archive("\n \(known) \n")) == first)
    }

    @Test func `what differs from the known text is read as it is`() throws {
        _ = try record(archive(known))
        for (change, other) in [("/token", "/t0ken"), ("[]", #"["parentResource"]"#), ("[]", "[ ]")] {
            let text = archive(known.replacing(change, with: other))
            let record = try record(text)
            #expect(record.client.provider.tokenEndpoint.path == (change == "/token" ? "/t0ken" : "/token"))
            #expect(record.client.provider.tolerances == (other.contains("parent") ? [.parentResource] : []))
        }
    }

    @Test func `the text is known in its own place alone`() throws {
        _ = try record(archive(known))
        let rest = #","later":{"configuration":\#(known)},"x":[\#(known)]"#
        let record = try record(archive(known, rest: rest))
        #expect(record.unknownMembers["later"]?["configuration"]?["tolerances"] == [])
        #expect(record.unknownMembers["x"]?.arrayValue?.first?["tolerances"] == [])
        #expect(try String(decoding: AuthStateArchive(record).data(), as: UTF8.self).contains(#""x":[\#(known)]"#))
        let outside = #"{"configuration":\#(known),"format":3,"state":{"clientID":"client"}}"#
        #expect(throws: AuthStateError.self) { try self.record(outside) }
    }

    @Test func `another object's configuration is not the state's, and is not remembered for it`() throws {
        let other = known.replacing("/token", with: "/other")
        _ = try record(archive(known))
        func beside(_ object: String, _ configuration: String?) -> String {
            let member = configuration.map { #""configuration":\#($0),"# } ?? ""
            return #"{"a":{"configuration":\#(object)},"format":3,"state":{"clientID":"client",\#(member)"credential":"#
                + #"{"source":"none"}},"x":{"configuration":\#(object)}}"#
        }
        #expect(try record(beside(known, other)).client.provider.tokenEndpoint.path == "/other")
        #expect(try record(archive(other)).client.provider.tokenEndpoint.path == "/other")
        #expect(try record(beside("{}", known)).client.provider.tokenEndpoint.path == "/token")
        #expect(throws: AuthStateError.self) { try record(archive("{}")) }
        #expect(throws: AuthStateError.self) { try record(beside(known, nil)) }
    }

    @Test func `damage beside the known text is found`() throws {
        _ = try record(archive(known))
        for text in [
            archive("\(known)x"), archive("\(known)}"), archive(String(known.dropLast())),
            archive(known, rest: #","configuration":\#(known)"#), String(archive(known).dropLast(2)), archive("null"),
        ] {
            let error = #expect(throws: AuthStateError.self) { try record(text) }
            #expect(error?.code == .storeCorrupt)
        }
    }

    @Test func `a text that another program wrote is not written here`() throws {
        let foreign = known.replacing(":[]", with: ": [ ]")
        let first = try record(archive(foreign))
        #expect(try record(archive(foreign)) == first)
        #expect(try String(decoding: AuthStateArchive(first).data(), as: UTF8.self) == archive(known))
    }

    @Test func `encoders of Foundation write a record that their decoders read`() throws {
        var first = try record(archive(known, rest: #","later":{"a":[1]}"#))
        #expect(first.unknownMembers == ["later": ["a": [1]]])
        first.lastTokenResponse = TokenResponse(
            accessToken: "SECRET", issuedAt: Date(timeIntervalSince1970: 1), accessTokenExpirationDate: nil)
        let data = try JSONEncoder().encode(first)
        #expect(try JSONDecoder().decode(AuthState.Record.self, from: data) == first)
        let list = try PropertyListEncoder().encode(first)
        #expect(try PropertyListDecoder().decode(AuthState.Record.self, from: list) == first)
    }

    @Test func `the parser tells which text a member has, or where its value is`() throws {
        let texts = [Array(#"{"a":1}"#.utf8), Array(#"{"a":2}"#.utf8)]
        for (text, found, range) in [
            (#"{"o":{"m":{"a":2}}}"#, 1, nil), (#"{"o":{"m": {"a":1} }}"#, 0, nil),
            (#"{"o":{"m":{"a":3}}}"#, nil, 10..<17), (#"{"p":{"m":{"a":1}}}"#, nil, nil),
            (#"{"o":{"p":{"m":{"a":1}}}}"#, nil, nil), (#"{"m":{"a":1}}"#, nil, nil), (#"{"o":[{"a":1}]}"#, nil, nil),
        ] as [(String, Int?, Range<Int>?)] {
            var member = KnownMember("m", of: "o", texts: texts)
            let json = try JSONValue(parsing: Array(text.utf8), except: &member)
            #expect(member.found == found && member.range == range, "\(text)")
            #expect(found != nil ? json["o"]?["m"] == .null : json == (try JSONValue(parsing: text.utf8)))
        }
        for text in [#"{"o":{"m":{"a":1}"#, #"{"o":{"m":{"a":1"#, #"{"o":{"m":{"a":1}}"#, #"{"o":{"m":{"a":1}1}}"#] {
            var member = KnownMember("m", of: "o", texts: texts)
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8), except: &member) }
        }
    }

    @Test func `more providers than are remembered are all read right`() throws {
        for round in 0..<2 {
            for index in 0..<100 {
                let path = "/token\(index)"
                let read = try record(archive(known.replacing("/token", with: path)))
                #expect(read.client.provider.tokenEndpoint.path == path, "round \(round)")
            }
        }
    }
}
