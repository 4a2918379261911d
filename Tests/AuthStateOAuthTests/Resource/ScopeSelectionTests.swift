import AuthStateJOSE
import AuthStateOAuth
import Testing

struct ScopeSelectionTests {
    private func challenge(_ scope: String?) -> AuthenticationChallenge {
        AuthenticationChallenge(scheme: "Bearer", parameters: scope.map { ["scope": $0] } ?? [:])
    }

    private func resource(_ scopes: [String]?) throws -> ProtectedResourceMetadata {
        var document: [String: JSONValue] = ["resource": "https://api.example"]
        document["scopes_supported"] = scopes.map { .array($0.map { .string($0) }) }
        return try ProtectedResourceMetadata(document: document)
    }

    private func server(_ scopes: [String]) throws -> ProviderMetadata {
        try ProviderMetadata(document: ["scopes_supported": .array(scopes.map { .string($0) })])
    }

    @Test("the challenge decides, else the resource's list, else none; the server's list adds offline_access alone")
    func first() throws {
        let listed = try resource(["a", "b"])
        #expect(ScopeSelection.first(challenge("c d"), resource: listed, server: nil) == ["c", "d"])
        #expect(ScopeSelection.first(challenge(nil), resource: listed, server: nil) == ["a", "b"])
        #expect(ScopeSelection.first(nil, resource: listed, server: try server(["x"])) == ["a", "b"])
        #expect(ScopeSelection.first(nil, resource: try resource(nil), server: try server(["x"])) == [])
        #expect(ScopeSelection.first(nil, resource: nil, server: nil) == [])
        let offline = try server(["x", "offline_access"])
        #expect(ScopeSelection.first(challenge("c"), resource: listed, server: offline) == ["c", "offline_access"])
        // A resource does not know what its server offers.
        #expect(ScopeSelection.first(challenge("c offline_access"), resource: nil, server: try server([])) == ["c"])
    }

    @Test func `a login for more rights asks for what was asked before, and for what the challenge names`() throws {
        #expect(ScopeSelection.stepUp(from: ["a", "b"], challenge("b c"), server: nil) == ["a", "b", "c"])
        #expect(ScopeSelection.stepUp(from: ["a"], nil, server: nil) == ["a"])
        let offline = try server(["offline_access"])
        #expect(
            ScopeSelection.stepUp(from: ["offline_access", "a"], challenge("c"), server: offline) == [
                "a", "c", "offline_access",
            ])
    }

    @Test("scopes that no request may hold, and repeated ones, are left out")
    func invalid() { #expect(ScopeSelection.first(challenge(#"a "b a  c\"#), resource: nil, server: nil) == ["a"]) }

    @Test("of several challenges the one counts that can be answered, and names the metadata")
    func answerable() throws {
        func find(_ lines: [String]) throws -> AuthenticationChallenge? {
            AuthenticationChallenge.answerable(in: try #require(AuthenticationChallenge.parse(lines)))
        }
        let url = #"resource_metadata="https://a.example/m""#
        #expect(try find(["Basic realm=x, Bearer scope=a, DPoP \(url)"])?.scheme == "DPoP")
        #expect(try find(["Basic realm=x", "bearer \(url), scope=\"a b\""])?.scopes == ["a", "b"])
        #expect(try find(["Basic \(url)", "Bearer error=x"])?.resourceMetadata == nil)
        #expect(try find(["Negotiate", "Basic realm=x"]) == nil)
        for text in ["m", "javascript:alert(1)", "ftp://a.example", "https://a.example#f", ""] {
            #expect(
                AuthenticationChallenge(scheme: "Bearer", parameters: ["resource_metadata": text]).resourceMetadata
                    == nil)
        }
    }
}
