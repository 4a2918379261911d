import AuthStateFoundation
import AuthStateOAuth
import Testing

struct TransportResponseContentTests {
    private struct Item: Decodable, Equatable { var name: String }

    private func answer(_ body: String, status: Int = 200, type: String? = "application/json") -> TransportResponse {
        TransportResponse(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
    }

    @Test func `a response's body is read as text or decoded from JSON`() throws {
        let answer = answer(#"[{"name":"Åda"}]"#)
        #expect(answer.text == #"[{"name":"Åda"}]"#)
        #expect(try answer.json(as: [Item].self) == [Item(name: "Åda")])
        let items: [Item] = try answer.json()
        #expect(items.count == 1)
    }

    @Test(
        "a body of another kind says where it differs, and shows nothing of it",
        arguments: [
            (#"[{"name":"a"},{"name":7}]"#, 200, "status 200, application/json, 25 bytes, another type at /1/name"),
            (#"[{}]"#, 200, "status 200, application/json, 4 bytes, nothing at /0/name"),
            ("<html>secret</html>", 502, "status 502, application/json, 19 bytes"),
            ("", 204, "status 204, application/json, 0 bytes"),
        ])
    func differs(body: String, status: Int, received: String) {
        let error = #expect(throws: AuthStateError.self) { try answer(body, status: status).json(as: [Item].self) }
        #expect(error?.code == .malformedResponse && error?.stage == .resource && error?.received == received)
        #expect(error.map { !"\($0)".contains("secret") } == true)
    }

    private enum Kind: String, Decodable { case known }

    @Test func `neither a value nor a key of the body is in the error`() {
        let values = #expect(throws: AuthStateError.self) {
            try answer(#"{"a":"secret"}"#).json(as: [String: Kind].self)
        }
        let keys = #expect(throws: AuthStateError.self) { try answer(#"{"secret":{}}"#).json(as: [String: Item].self) }
        #expect(keys?.received?.hasSuffix("nothing at /*/name") == true, "\(String(describing: keys))")
        for error in [values, keys] {
            let shown = error.map { "\($0) \(String(describing: $0.underlying))" }
            #expect(shown?.contains("secret") == false, "\(shown ?? "")")
        }
    }
}
