import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

/// Authorization details (RFC 9396).
struct AuthorizationDetailTests {
    /// The example of section 2, figure 2.
    private static let example = """
        [{"type": "payment_initiation", "actions": ["initiate", "status", "cancel"],
        "locations": ["https://example.com/payments"],
        "instructedAmount": {"currency": "EUR", "amount": "123.50"}, "creditorName": "Merchant A",
        "creditorAccount": {"iban": "DE02100100109307118603"},
        "remittanceInformationUnstructured": "Ref Number Merchant"}]
        """

    private static func details(_ text: String) throws -> [AuthorizationDetail]? {
        [AuthorizationDetail](authorizationDetails: try JSONValue(parsing: text.utf8))
    }

    @Test("the RFC's example is read, with its common members and those of its type")
    func example() throws {
        let details = try #require(try Self.details(Self.example))
        let detail = try #require(details.first)
        #expect(details.count == 1 && detail.type == "payment_initiation" && detail.identifier == nil)
        #expect(detail.actions == ["initiate", "status", "cancel"] && detail.datatypes.isEmpty)
        #expect(detail.locations == ["https://example.com/payments"] && detail.privileges.isEmpty)
        #expect(detail.members["instructedAmount"]?["amount"] == "123.50")
        #expect(try Self.details(details.parameter) == details)
    }

    @Test("a detail is made of its members, and empty ones are left out")
    func made() throws {
        let detail = AuthorizationDetail(
            type: "account", locations: ["https://a.example"], actions: ["read"], datatypes: ["balance"],
            identifier: "a-1", privileges: ["admin"], additionalMembers: ["currency": "CHF", "type": "another"])
        #expect(
            detail.json == [
                "type": "account", "locations": ["https://a.example"], "actions": ["read"], "datatypes": ["balance"],
                "identifier": "a-1", "privileges": ["admin"], "currency": "CHF",
            ])
        #expect(AuthorizationDetail(type: "x").json == ["type": "x"])
        #expect(AuthorizationDetail(detail.json) == detail)
    }

    @Test(
        "a value is no list of details unless each element is an object with a type",
        arguments: [
            #"{"type":"x"}"#, #"["x"]"#, "[{}]", #"[{"type":""}]"#, #"[{"type":1}]"#, #"[{"type":"x"},null]"#, "null",
        ])
    func malformed(_ text: String) throws { #expect(try Self.details(text) == nil) }

    @Test("details travel in the URL as JSON, and in a signed request as the list that they are")
    func request() throws {
        var request = try Fixtures.request()
        request.authorizationDetails = try #require(try Self.details(Self.example))
        let query = try request.url().absoluteString.drop { $0 != "?" }.dropFirst()
        let sent = try #require(Parameters(decoding: query)?["authorization_details"])
        #expect(try Self.details(sent) == request.authorizationDetails)
        let object = try RequestObject(request, issuedAt: Fixtures.now).signed(with: .generate(.es256))
        let claim = try #require(try JSONWebToken(parsing: object).claims["authorization_details"])
        #expect([AuthorizationDetail](authorizationDetails: claim) == request.authorizationDetails)
        request.additionalParameters = ["authorization_details": "[]"]
        #expect(refusal { try request.url() }?.code == .invalidArgument)
    }

    @Test("a type that is missing, or that the provider does not list, is refused before anything is sent")
    func types() throws {
        let configuration = try Fixtures.configuration(metadata: ["authorization_details_types_supported": ["payment"]])
        var request = try Fixtures.request(configuration)
        var renewal = TokenRequest(Client(configuration, id: "client"), .refreshToken("r"))
        let send = { (details: [AuthorizationDetail]) in
            request.authorizationDetails = details
            renewal.authorizationDetails = details
        }
        send([AuthorizationDetail(type: "payment")])
        _ = try request.url()
        let form = try renewal.transportRequest(authentication: .none(clientID: "client")).form
        #expect(form?["authorization_details"] == #"[{"type":"payment"}]"#)
        for (type, code) in [("", AuthStateError.Code.invalidArgument), ("Payment", .invalidAuthorizationDetails)] {
            send([AuthorizationDetail(type: "payment"), AuthorizationDetail(type: type)])
            let errors = [
                refusal { try request.url() },
                refusal { try renewal.transportRequest(authentication: .none(clientID: "client")) },
            ]
            #expect(errors.map { $0?.code } == [code, code] && errors.map { $0?.stage } == [.authorization, .refresh])
            #expect(errors.allSatisfy { $0?.hint != nil })
        }
    }

    @Test func `a request survives an archive with its details, and one from before details is read`() throws {
        var request = try Fixtures.request()
        let plain = try JSONEncoder().encode(request)
        #expect(!String(decoding: plain, as: UTF8.self).contains("etails"))
        request.authorizationDetails = try #require(try Self.details(Self.example))
        let decoded = try JSONDecoder().decode(AuthorizationRequest.self, from: JSONEncoder().encode(request))
        #expect(decoded == request && decoded.authorizationDetails.count == 1)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AuthorizationDetail.self, from: Data("{}".utf8))
        }
    }
}
