import AuthStateOAuth
import Testing

struct ParametersTests {
    @Test("AppAuth's vectors: reserved characters are escaped, a space as %20")
    func appAuthEncoding() {
        #expect(PercentEncoding.uri(" %&+£€") == "%20%25%26%2B%C2%A3%E2%82%AC")
        #expect(PercentEncoding.uri("AZaz09-._~") == "AZaz09-._~")
        #expect(PercentEncoding.uri("!*'();:@=$,/?#[]") == "%21%2A%27%28%29%3B%3A%40%3D%24%2C%2F%3F%23%5B%5D")
        #expect(PercentEncoding.form("t _9V-F*I+Z1Lk.u7:2/8L+w=") == "t+_9V-F*I%2BZ1Lk.u7%3A2%2F8L%2Bw%3D")
        #expect(PercentEncoding.form("~") == "%7E")
    }

    @Test func `+ and %20 are both spaces, and repeated names are kept in order`() throws {
        let parameters = try #require(Parameters(decoding: "a=1+2&b=3%204&a=%E2%82%AC&c&=d&&e=x=y%3d"))
        #expect(parameters.values("a") == ["1 2", "€"])
        #expect(parameters["b"] == "3 4" && parameters["c"] == "" && parameters[""] == "d")
        #expect(parameters["e"] == "x=y=")
        #expect(parameters.names == ["a", "b", "c", "", "e"])
        #expect(parameters.repeatedName == "a")
        #expect(parameters["missing"] == nil && parameters.values("missing").isEmpty)
    }

    @Test(
        "a broken escape, or bytes that are not UTF-8, make the whole unreadable",
        arguments: ["a=%", "a=%4", "a=%zz", "%=a", "a=%FF", "a=%C3", "a=%ED%A0%80", "a=%C0%AF"])
    func malformed(_ text: String) { #expect(Parameters(decoding: text) == nil) }

    @Test("an answer with more than 30 combining marks in a row is read without them, where nothing is decided by them")
    func combiningMarks() {
        func text(_ text: String, marks: Int = 31) -> String {
            text.replacing("*", with: String(repeating: "%CC%81", count: marks))
        }
        #expect(Parameters(answer: text("code=c&x=*&scope=*&y=%FF*"))?.encoded == "code=c")
        #expect(Parameters(answer: text("code=c&x=*", marks: 30))?["x"]?.unicodeScalars.count == 30)
        for name in Parameters.decisive { #expect(Parameters(answer: text("\(name)=*")) == nil) }
        #expect(Parameters(answer: text("code=c&*=x")) == nil)
        #expect(Parameters(decoding: text("x=*"))?["x"]?.unicodeScalars.count == 31, "a request of one's own is whole")
    }

    @Test func `encoding and decoding returns the same parameters, with any content`() {
        var parameters: Parameters = ["a b": "c&d=e", "ü": "\u{0}\n%+"]
        parameters.append("a b", "again")
        #expect(Parameters(decoding: parameters.encoded) == parameters)
        #expect(PercentEncoding.decode(PercentEncoding.form("ü +~*")[...]) == "ü +~*")
    }

    @Test func `setting a parameter replaces every value at the first one's place; nil removes`() {
        var parameters: Parameters = ["a": "1", "b": "2"]
        parameters.append("a", "3")
        parameters["a"] = "4"
        #expect(parameters.encoded == "a=4&b=2")
        parameters["c"] = "5"
        #expect(parameters.encoded == "a=4&b=2&c=5")
        parameters["a"] = nil
        #expect(parameters.encoded == "b=2&c=5" && parameters.repeatedName == nil)
        parameters.merge(["b": "6", "d": "7"])
        #expect(parameters["b"] == "6" && parameters["d"] == "7" && parameters["c"] == "5")
        #expect(Parameters().isEmpty && Parameters().encoded.isEmpty)
    }
}
