import AuthStateFoundation
import AuthStateOAuth
import Testing

struct EndpointURLTests {
    @Test(
        "the endpoint's own query is kept as it is written; a name that would come twice is replaced",
        arguments: [
            ("https://op.example/a", "https://op.example/a?p=1%202"),
            ("https://op.example/a?", "https://op.example/a?p=1%202"),
            ("https://op.example/a?t=x%2Fy+z", "https://op.example/a?t=x%2Fy+z&p=1%202"),
            ("https://op.example/a?p=old&t=x&p=older", "https://op.example/a?t=x&p=1%202"),
            ("https://op.example/a?%70=old", "https://op.example/a?p=1%202"),
            ("https://op.example/a?t#f", "https://op.example/a?t&p=1%202"),
        ])
    func appending(_ endpoint: String, _ expected: String) throws {
        #expect(try Fixtures.url(endpoint).appending(["p": "1 2"], stage: .authorization).absoluteString == expected)
    }

    @Test func `without parameters nothing is added`() throws {
        #expect(try Fixtures.url("https://op.example/a").appending([:], stage: .logout).query() == nil)
    }
}
