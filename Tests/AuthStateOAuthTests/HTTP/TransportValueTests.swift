import AuthStateOAuth
import Testing

@Suite("HTTP values")
struct TransportValueTests {
    @Test("header names compare in any case, values keep their lines and order (RFC 9110, section 5)")
    func headers() {
        var headers: TransportHeaders = ["Set-Cookie": "a", "X": "1"]
        headers.append("set-cookie", "b")
        #expect(headers["SET-COOKIE"] == ["a", "b"] && headers.first("set-cookie") == "a")
        #expect(headers.map(\.value) == ["a", "1", "b"])
        headers["x"] = ["2", "3"]
        #expect(headers["X"] == ["2", "3"])
        headers["X"] = []
        #expect(headers.first("x") == nil && headers["nothing"].isEmpty)
        #expect("STRASSE".equalsIgnoringASCIICase("strasse") && !"K".equalsIgnoringASCIICase("\u{212A}"))
    }

    @Test(
        "the media type is read without parameters and case",
        arguments: [
            ("application/json", "application/json"), ("Application/JSON ; charset=UTF-8", "application/json"),
            ("", ""),
        ])
    func mediaType(_ value: String, _ expected: String) {
        #expect(TransportResponse(status: 200, headers: ["content-type": value]).mediaType == expected)
        #expect(TransportResponse(status: 200).mediaType == nil)
    }
}
