import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

extension RenewalTests {
    private func scoped(
        _ scope: String?, _ answers: [String?], observer: (any AuthStateObserver)? = nil
    ) throws -> AuthState {
        let replies = answers.enumerated().map { place, scope in
            ScriptedTransport.Reply.json(
                """
                {"access_token":"SECRET-access-\(place + 1)","token_type":"Bearer","expires_in":3600\
                \(scope.map { ",\"scope\":\"\($0)\"" } ?? "")}
                """)
        }
        var fixture = try Fixture(replies)
        fixture.record.scope = scope
        fixture.options.observer = observer
        return fixture.state()
    }

    @Test("an answer without scope has the scope of its own request, and the grant keeps its own (RFC 6749, 5.1 and 6)")
    func absentScope() async throws {
        let state = try scoped("a b c", [nil, nil])
        #expect(try await state.freshTokens(RenewalParameters(scopes: ["a", "b"])).scope == "a b")
        #expect(state.status.scope == "a b c")
        #expect(try await state.refresh().scope == "a b c")
    }

    @Test("a grant that the provider narrows for good is stored as narrowed")
    func narrowedGrant() async throws {
        let state = try scoped("a b", ["a", "a"])
        #expect(try await state.freshTokens(RenewalParameters(scopes: ["a"])).scope == "a")
        #expect(state.status.scope == "a b")
        #expect(try await state.refresh().scope == "a")
        #expect(state.status.scope == "a")
    }

    @Test("a scope wider than the requested one is reported")
    func widerScope() async throws {
        let events = ScopeLog()
        let state = try scoped("a b", ["a b c", "a b", nil], observer: events)
        #expect(try await state.freshTokens(RenewalParameters(scopes: ["a"])).scope == "a b c")
        #expect(events.widened == [["b", "c"]])
        try await state.refresh()
        try await state.refresh()
        #expect(events.widened == [["b", "c"]])
    }
}

/// Records the scopes that were granted without being requested.
private final class ScopeLog: AuthStateObserver {
    private let seen = Lock<[[Scope]]>([])
    var widened: [[Scope]] { seen.withLock { $0 } }

    func authState(_ state: AuthState, did event: AuthStateEvent) {
        if case .scopeWidened(let scopes) = event { seen.withLock { $0.append(scopes) } }
    }
}
