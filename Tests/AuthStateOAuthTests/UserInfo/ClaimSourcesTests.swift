import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ClaimSourcesTests {
    private func sources(_ names: JSONValue, _ sources: JSONValue) throws -> UserInfo {
        try UserInfo(["sub": "alice", "_claim_names": names, "_claim_sources": sources], subject: nil, isSigned: false)
    }

    @Test("sources are data, with the claims that they are said to have (OpenID Connect Core, section 5.6.2)")
    func data() throws {
        let info = try sources(
            ["address": "a", "phone_number": "a", "score": "b", "rank": "c"],
            [
                "a": ["JWT": .string(Secrets.make("jwt"))],
                "b": ["endpoint": "https://claims.example/score", "access_token": .string(Secrets.make("token"))],
                "c": ["endpoint": "https://claims.example/rank"],
            ])
        #expect(info.claimSources.count == 3)
        #expect(info.claimSources["a"]?.claimNames == ["address", "phone_number"])
        #expect(info.claimSources["a"]?.origin == .aggregated(jwt: Secrets.make("jwt")))
        let endpoint = try Fixtures.url("https://claims.example/score")
        #expect(info.claimSources["b"]?.origin == .distributed(endpoint: endpoint, accessToken: Secrets.make("token")))
        guard case .distributed(_, nil)? = info.claimSources["c"]?.origin else {
            Issue.record("the third source is another")
            return
        }
        #expect(info["address"] == nil)
        Secrets.expectNone(in: info)
        Secrets.expectNone(in: info.claimSources)
        for source in info.claimSources.values { Secrets.expectNone(in: source.origin) }
    }

    @Test(
        "a source that is malformed, not https, or without claims is left out",
        arguments: [
            [:], ["JWT": 5], ["endpoint": "http://claims.example"], ["endpoint": "/x"], ["endpoint": "javascript:x"],
            "text", nil,
        ] as [JSONValue])
    func malformed(_ source: JSONValue) throws {
        #expect(try sources(["x": "a"], ["a": source, "b": ["JWT": "e30"]]).claimSources.isEmpty)
    }

    @Test func `names and sources of the wrong type are no sources`() throws {
        #expect(try sources(["x"], [:]).claimSources.isEmpty)
        #expect(try sources(["x": 5], ["a": ["JWT": "e30"]]).claimSources.isEmpty)
        #expect(try sources(["x": "a"], "text").claimSources.isEmpty)
    }
}
