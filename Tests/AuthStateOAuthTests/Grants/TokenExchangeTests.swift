import Testing

@testable import AuthStateOAuth

/// Token exchange (RFC 8693).
struct TokenExchangeTests {
    private func request(_ change: (inout TokenExchange) -> Void = { _ in }) throws -> TokenRequest {
        var exchange = TokenExchange(of: TypedToken(Secrets.make("subject"), type: .accessToken))
        change(&exchange)
        return TokenRequest(Client(try Fixtures.configuration(), id: "client"), .tokenExchange(exchange))
    }

    private func answer(_ text: String, to request: TokenRequest) -> TokenAnswer {
        TokenAnswer(Fixtures.json(text), to: request, sentAt: Fixtures.now)
    }

    @Test func `the request says what is exchanged, for whom and for what (section 2.1)`() throws {
        let request = try request {
            $0.actorToken = TypedToken(Secrets.make("actor"), type: .jwt)
            $0.requestedTokenType = .saml2
            $0.audiences = ["billing", "mail"]
            $0.resources = ["https://a.example", "https://b.example"]
            $0.scopes = ["read"]
            $0.additionalParameters = ["tenant": "t"]
        }
        let form = try #require(try request.transportRequest(authentication: .none(clientID: "client")).form)
        let expected = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "client",
            "subject_token": Secrets.make("subject"), "actor_token": Secrets.make("actor"),
            "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "actor_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "requested_token_type": "urn:ietf:params:oauth:token-type:saml2", "scope": "read", "tenant": "t",
        ]
        for (name, value) in expected { #expect(form.values(name) == [value]) }
        #expect(form.values("audience") == ["billing", "mail"])
        #expect(form.values("resource") == ["https://a.example", "https://b.example"])
        Secrets.expectNone(in: request)
        Secrets.expectNone(in: request.grant as Any)
        let plain = try #require(try self.request().transportRequest(authentication: .none(clientID: "c")).form)
        #expect(
            ["actor_token", "actor_token_type", "requested_token_type", "audience"].allSatisfy { plain[$0] == nil })
    }

    @Test func `the RFC's identifiers (section 3)`() {
        let types: [(TokenTypeIdentifier, String)] = [
            (.accessToken, "access_token"), (.refreshToken, "refresh_token"), (.idToken, "id_token"), (.jwt, "jwt"),
            (.saml1, "saml1"), (.saml2, "saml2"),
        ]
        for (type, name) in types { #expect(type.rawValue == "urn:ietf:params:oauth:token-type:\(name)") }
    }

    @Test("an answer says what was issued; N_A is a token that cannot be shown as an access token (section 2.2.1)")
    func answers() throws {
        let types = [("Bearer", "access_token"), ("N_A", "saml2"), ("n_a", "jwt")]
        for (tokenType, issued) in types {
            let text =
                #"{"access_token":"t","token_type":"\#(tokenType)","#
                + #""issued_token_type":"urn:ietf:params:oauth:token-type:\#(issued)"}"#
            guard case .tokens(let response) = answer(text, to: try request()) else {
                Issue.record("refused: \(tokenType)")
                continue
            }
            #expect(response.issuedTokenType?.rawValue.hasSuffix(issued) == true)
            #expect(response.tokenType == tokenType)
        }
    }

    @Test(
        "an answer without an issued token type serves where an access token was asked for",
        arguments: [
            #"{"access_token":"t","token_type":"Bearer"}"#,
            #"{"access_token":"t","token_type":"Bearer","issued_token_type":""}"#,
            #"{"access_token":"t","token_type":"Bearer","issued_token_type":5}"#,
            #"{"access_token":"t","token_type":"Bearer","issued_token_type":null}"#,
        ])
    func unsaid(_ text: String) throws {
        for type in [nil, TokenTypeIdentifier.accessToken, .saml2, .identityAssertion] {
            var request = try request()
            guard case .tokenExchange(var exchange) = request.grant else { throw CancellationError() }
            exchange.requestedTokenType = type
            request.grant = .tokenExchange(exchange)
            let answers = ["Bearer", "N_A"].map { answer(text.replacing("Bearer", with: $0), to: request) }
            for (answer, isServed) in zip(answers, [type == nil || type == .accessToken, false]) {
                switch answer {
                case .tokens(let response): #expect(isServed && response.accessToken == "t")
                case .refused(let error, _), .error(let error):
                    #expect(!isServed && error.code == .malformedResponse)
                    #expect(error.message.contains("issued_token_type"))
                }
            }
        }
    }

    @Test func `N_A is for exchanges alone`() throws {
        let text = #"{"access_token":"t","token_type":"N_A","issued_token_type":"x"}"#
        let request = TokenRequest(Client(try Fixtures.configuration(), id: "c"), .clientCredentials)
        guard case .refused(let error, _) = answer(text, to: request) else {
            Issue.record("believed")
            return
        }
        #expect(error.code == .unsupportedTokenType)
    }
}
