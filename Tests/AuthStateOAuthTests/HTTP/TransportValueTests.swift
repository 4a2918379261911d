import AuthStateOAuth
import Testing

struct TransportValueTests {
    @Test func `header names compare in any case, values keep their lines and order (RFC 9110, section 5)`() {
        var headers: TransportHeaders = ["Set-Cookie": "a", "X": "1"]
        headers.append("set-cookie", "b")
        #expect(headers[values: "SET-COOKIE"] == ["a", "b"] && headers["set-cookie"] == "a")
        #expect(headers.map(\.value) == ["a", "1", "b"])
        headers[values: "x"] = ["2", "3"]
        #expect(headers[values: "X"] == ["2", "3"])
        headers["x"] = "4"
        #expect(headers[values: "X"] == ["4"])
        headers["X"] = nil
        #expect(headers["x"] == nil && headers["nothing"] == nil)
        #expect("STRASSE".equalsIgnoringASCIICase("strasse") && !"K".equalsIgnoringASCIICase("\u{212A}"))
    }

    @Test func `methods compare with regard to case, and any name can be one (RFC 9110, section 9.1)`() {
        #expect(TransportRequest.Method.post == "POST" && TransportRequest.Method(rawValue: "Post") != .post)
        #expect(
            "\(TransportRequest.Method.delete)" == "DELETE"
                && TransportRequest.Method("PROPFIND").rawValue == "PROPFIND")
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
