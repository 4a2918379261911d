import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Assertions that another party signs (RFC 7521).
struct AssertionGrantTests {
    private let references: [ClientCredential] = [
        .assertion(file: "/var/run/token"), .assertion(environment: "TOKEN"),
        .assertion { _ in Secrets.make("assertion") },
    ]

    @Test("the reference to an assertion is archived, what a function returns is not, and neither shows the assertion")
    func archive() throws {
        for credential in references {
            let grant = AssertionGrant(
                credential, scopes: ["api"], resources: ["https://api.example"], additionalParameters: ["a": "b"])
            let decoded = try JSONDecoder().decode(AssertionGrant.self, from: JSONEncoder().encode(grant))
            #expect(decoded.assertion.isAssertion && decoded.scopes == ["api"])
            #expect(decoded.resources == grant.resources && decoded.additionalParameters == grant.additionalParameters)
            if case .function = credential.source {
                #expect(decoded.assertion.source == .value(""))
                #expect("\(grant)".contains("assertion from a function of the program"))
            } else {
                #expect(decoded == grant)
                #expect("\(grant)".contains("assertion in the"))
            }
        }
        // An archive from before there were assertions.
        let old = #"{"source":"file","name":"/key","method":"private_key_jwt"}"#
        let credential = try JSONDecoder().decode(ClientCredential.self, from: Data(old.utf8))
        #expect(credential == .privateKey(file: "/key") && !credential.isAssertion)
        #expect(!String(decoding: try JSONEncoder().encode(credential), as: UTF8.self).contains("isAssertion"))
    }

    @Test func `a function is equal to itself alone`() async throws {
        let function = CredentialFunction { "\($0.audience) \($0.clientID) \($0.resources) \($0.scopes)" }
        #expect(function == function && function != CredentialFunction { _ in "" })
        #expect(Set([function, function]).count == 1)
        let request = CredentialRequest(audience: "a", clientID: "c", resources: ["r"], scopes: ["s"])
        #expect(try await function(request) == #"a c ["r"] [s]"#)
    }

    @Test("the request takes the grant's own terms, and is not sent before the assertion is read")
    func request() throws {
        let grant = AssertionGrant(references[0], scopes: ["api"], resources: ["https://api.example"])
        let request = TokenRequest(Client(try Fixtures.configuration(), id: "client"), .issuedAssertion(grant))
        #expect(request.grantType == .jwtBearer && request.scopes == ["api"])
        #expect(request.resources == ["https://api.example"] && !request.isNamedByAssertion)
        #expect(
            refusal { try request.transportRequest(authentication: .none(clientID: "client")) }?.code
                == .invalidArgument)
    }

    @Test func `a client without an identifier is not named`() throws {
        let request = TokenRequest(Client(try Fixtures.configuration(), id: ""), .assertion(Secrets.make("assertion")))
        let form = try #require(try request.transportRequest(authentication: .none(clientID: "")).form)
        #expect(form["client_id"] == nil && form["assertion"] == Secrets.make("assertion"))
    }

    @Test func `another place, and the same place as a secret, are not what the program allowed`() {
        let allowed = [ClientCredential.file("/secret"), .assertion(file: "/token")]
        for other in [ClientCredential.assertion(file: "/secret"), .assertion(file: "/other"), .file("/token")] {
            #expect(throws: AuthStateError.self) { try other.distrusted(allowing: allowed).checkNamed(stage: .token) }
        }
        #expect(throws: Never.self) {
            try ClientCredential.assertion(file: "/token").distrusted(allowing: allowed).checkNamed(stage: .token)
        }
    }
}
