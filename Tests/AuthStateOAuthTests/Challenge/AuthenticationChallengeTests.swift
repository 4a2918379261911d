import AuthStateOAuth
import Testing

struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    @Test func `RFC 9110's example: two challenges on a line, quoted quotes, a token value`() {
        let line = #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        #expect(
            AuthenticationChallenge.parse([line]) == [
                Challenge(scheme: "Basic", parameters: ["realm": "simple"]),
                Challenge(scheme: "Newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            ])
    }

    @Test func `RFC 6750's challenge is read`() throws {
        let line =
            #"Bearer realm="example", error="invalid_token", error_description="The access token expired", scope="a b""#
        let challenge = try #require(AuthenticationChallenge.parse([line])?.first)
        #expect(challenge.hasScheme("bearer") && !challenge.hasScheme("Bear"))
        #expect(challenge.error == "invalid_token" && challenge.errorDescription == "The access token expired")
        #expect(challenge.scope == "a b")
    }

    @Test(
        "each form that the grammar allows is read",
        arguments: [
            ("Bearer", [Challenge(scheme: "Bearer")]),
            ("Negotiate, Bearer", [Challenge(scheme: "Negotiate"), Challenge(scheme: "Bearer")]),
            (
                "Negotiate abc==, Bearer error=x",
                [
                    Challenge(scheme: "Negotiate", token68: "abc=="),
                    Challenge(scheme: "Bearer", parameters: ["error": "x"]),
                ]
            ),
            ("Negotiate a+/~=", [Challenge(scheme: "Negotiate", token68: "a+/~=")]),
            ("Negotiate abc=", [Challenge(scheme: "Negotiate", token68: "abc=")]),
            (
                #"Bearer realm="a, b=c, Basic x=y""#,
                [Challenge(scheme: "Bearer", parameters: ["realm": "a, b=c, Basic x=y"])]
            ),
            (
                "Bearer realm = \"a\" , error\t=\tx",
                [Challenge(scheme: "Bearer", parameters: ["realm": "a", "error": "x"])]
            ),
            (#"Bearer REALM="A""#, [Challenge(scheme: "Bearer", parameters: ["realm": "A"])]),
            (#", ,Bearer a=1,, b=2 ,"#, [Challenge(scheme: "Bearer", parameters: ["a": "1", "b": "2"])]),
            (#"Bearer realm="""#, [Challenge(scheme: "Bearer", parameters: ["realm": ""])]),
            (#"Bearer realm="a\\b\c""#, [Challenge(scheme: "Bearer", parameters: ["realm": #"a\bc"#])]),
            (#"Bearer realm="ü""#, [Challenge(scheme: "Bearer", parameters: ["realm": "ü"])]),
            ("Bearer   a=1", [Challenge(scheme: "Bearer", parameters: ["a": "1"])]),
            // Stripe's, whose value lacks its quotation marks.
            ("Bearer a=https://x.example/m", [Challenge(scheme: "Bearer", parameters: ["a": "https://x.example/m"])]),
            (
                "Bearer a=1, b=https://x.example/?c=d e=\"f\", Basic g=h",
                [
                    Challenge(scheme: "Bearer", parameters: ["a": "1", "b": "https://x.example/?c=d", "e": "f"]),
                    Challenge(scheme: "Basic", parameters: ["g": "h"]),
                ]
            ),
            ("", []), (" , ", []),
        ] as [(String, [AuthenticationChallenge])])
    func grammar(_ line: String, _ expected: [AuthenticationChallenge]) {
        #expect(AuthenticationChallenge.parse([line]) == expected)
    }

    @Test(
        "junk is unreadable as a whole, and never crashes",
        arguments: [
            #"Bearer realm="open"#, #"Bearer realm="open\"#, #"realm="x""#, "=", "Bearer =x", "Bearer a=1 b",
            #"Bearer a="1"b="2""#, "Bearer a=1, a=2", "Bearer A=1, a=2", "{\"error\":\"x\"}", "Bearer ü=1", "\u{0}",
            #"Bearer "quoted""#, "Bearer error: invalid_token", "Bearer a=(b)", "Bearer a=https://x.example b",
            "Bearer a=https://x.example, a=b", "Bearer error=x; scope=y", "Bearer a=b/c;d=e", #"Bearer a=b/"c""#,
        ])
    func junk(_ line: String) {
        #expect(AuthenticationChallenge.parse([line]) == nil)
        #expect(AuthenticationChallenge.parse(["Bearer", line]) == nil)
    }

    @Test func `several lines are one list; a challenge does not go on over a line's end`() {
        let lines = [#"Basic realm="x""#, "DPoP algs=\"ES256\", Bearer"]
        #expect(AuthenticationChallenge.parse(lines)?.map(\.scheme) == ["Basic", "DPoP", "Bearer"])
        #expect(AuthenticationChallenge.parse(["Bearer a=1", "b=2"]) == nil)
        #expect(AuthenticationChallenge.parse([]) == [])
    }

    @Test func `no cut of a good line crashes, and random bytes do not either`() {
        let line = #"Basic realm="si\"mple", Negotiate abc==, Bearer error="invalid_token", scope="a b""#
        for end in line.indices { _ = AuthenticationChallenge.parse([String(line[..<end])]) }
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array(#"aB=",\ /~1"#)
        for _ in 0..<2000 {
            let text = (0..<12).map { _ in alphabet.randomElement(using: &generator) ?? " " }
            _ = AuthenticationChallenge.parse([String(text)])
        }
    }

    @Test func `an error keeps a cut copy of a challenge`() {
        var challenge = Challenge(scheme: "Bearer", parameters: ["error": "invalid_token", "scope": "a\u{1B}b"])
        #expect(challenge.cut.parameters == ["error": "invalid_token", "scope": "a\u{FFFD}b"])
        for number in 100..<200 { challenge.parameters["x\(number)"] = String(repeating: "x", count: 5000) }
        challenge.token68 = String(repeating: "t", count: 5000)
        let cut = challenge.cut
        #expect(cut.parameters.count == 32 && cut.error == "invalid_token")
        #expect(cut.parameters.values.allSatisfy { $0.count <= 1025 } && cut.token68?.count == 1025)
    }
}
