import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Foundation
import XCTest

/// Requests and responses, as AppAuth makes and reads them.
final class RequestResponseTests: XCTestCase {
    private func sent(_ request: AuthorizationRequest) throws -> Parameters {
        let query = try XCTUnwrap(try request.url().absoluteString.split(separator: "?").last)
        return try XCTUnwrap(Parameters(decoding: query))
    }

    private func code(_ body: () throws -> some Any) -> AuthStateError.Code? {
        do { _ = try body() } catch { return (error as? AuthStateError)?.code }
        return nil
    }

    func testP21_stateNonceAndVerifierAreRandomAndTheChallengeIsS256() throws {
        let world = try World()
        let (first, second) = (try world.request(), try world.request())
        let sent = try sent(first)
        for text in [first.state, try XCTUnwrap(first.nonce), first.codeVerifier.rawValue] {
            XCTAssertEqual(text.utf8.count, 43)
            XCTAssertEqual(Base64URL.decode(text[...])?.count, 32)
        }
        XCTAssertEqual(
            Set([first.state, second.state, first.codeVerifier.rawValue, second.codeVerifier.rawValue]).count, 4)
        XCTAssertNotEqual(first.nonce, second.nonce)
        XCTAssertEqual(sent["code_challenge_method"], "S256")
        let digest = try SHA2.sha256(Array(first.codeVerifier.rawValue.utf8))
        XCTAssertEqual(sent["code_challenge"], Base64URL.encode(digest))
    }

    func testP22_theNonceCanBeGivenOrLeftOut() throws {
        var request = try World().request()
        request.nonce = "mine"
        XCTAssertEqual(try sent(request)["nonce"], "mine")
        request.nonce = nil
        XCTAssertNil(try sent(request)["nonce"])
    }

    func testP23_scopeTokensHaveTheirCharacters() throws {
        let world = try World()
        let allowed = [0x21] + Array(0x23...0x5B) + Array(0x5D...0x7E)
        for value in UInt8(0)...0x7F {
            let scope = Scope(rawValue: "a" + String(UnicodeScalar(value)))
            let error = code { try world.request(scopes: [scope]).url() }
            XCTAssertEqual(error, allowed.contains(Int(value)) ? nil : .invalidScope, "\(value)")
        }
    }

    func testP24_theResponseTypesWithACode() throws {
        for type in ["code", "code id_token", "id_token code"] {
            var request = try World().request()
            request.responseType = AuthorizationRequest.ResponseType(rawValue: type)
            XCTAssertEqual(try sent(request)["response_type"], type)
        }
    }

    func testP25_redirectsMatchSchemeInAnyCaseAndTheRestExactly() throws {
        let uri = try RedirectURI("https://me@app.example:8443/cb")
        for match in ["https://me@app.example:8443/cb", "HTTPS://me@app.example:8443/cb?code=1"] {
            XCTAssertTrue(uri.matches(match), match)
        }
        let others = [
            "https://app.example:8443/cb", "https://me@APP.example:8443/cb", "https://me@app.example/cb",
            "https://me@app.example:8443/CB", "https://me@app.example:8443/cb/", "http://me@app.example:8443/cb",
        ]
        for other in others { XCTAssertFalse(uri.matches(other), other) }
    }

    func testP26_tokenRequestsAreFormsWithBasicOrTheClientID() async throws {
        let world = try World()
        world.transport.enqueue(grant("a"), grant("a"))
        var client = Client(world.configuration, id: "a client", credential: .secret("t _9V-F*I+Z1Lk.u7:2/8L+w="))
        _ = try await world.service.perform(TokenRequest(client, .refreshToken("r")))
        client.credential = .none
        _ = try await world.service.perform(TokenRequest(client, .refreshToken("r")))
        let requests = world.transport.requests
        let pair = "a+client:t+_9V-F*I%2BZ1Lk.u7%3A2%2F8L%2Bw%3D"
        XCTAssertEqual(requests[0].headers[values: "Authorization"], ["Basic \(Data(pair.utf8).base64EncodedString())"])
        XCTAssertNil(world.forms[0]["client_id"])
        XCTAssertEqual(requests[1].headers[values: "Authorization"], [])
        XCTAssertEqual(world.forms[1]["client_id"], "a client")
        XCTAssertEqual(requests[0].headers[values: "Content-Type"], ["application/x-www-form-urlencoded"])
    }

    func testP27_queriesAreDecodedAndEncodedAsAppAuthDoes() throws {
        let decoded = try XCTUnwrap(Parameters(decoding: "a=1+2&a=3%204&b=%26"))
        XCTAssertEqual(decoded.values("a"), ["1 2", "3 4"])
        XCTAssertEqual(decoded["b"], "&")
        XCTAssertEqual((["p": " %&+£€"] as Parameters).encoded, "p=%20%25%26%2B%C2%A3%E2%82%AC")
    }

    private func document(without name: String? = nil, issuer: String = "https://op.example") -> String {
        var members: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": "https://op.example/authorize",
            "token_endpoint": "https://op.example/token", "jwks_uri": "https://op.example/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
        if let name { members[name] = nil }
        return String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
    }

    func testP28_discoveryNeedsItsSevenMembers() async throws {
        let world = try World()
        let required = [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported",
        ]
        for name in required {
            world.transport.enqueue(.json(document(without: name)))
            let error = await failure { try await world.service.discoverConfiguration(issuer: "https://op.example") }
            XCTAssertEqual(error?.stage, .discovery)
            XCTAssertEqual(error?.code, name == "issuer" ? .issuerMismatch : .invalidMetadata, name)
        }
        world.transport.enqueue(.json(document()))
        _ = try await world.service.discoverConfiguration(issuer: "https://op.example")
    }

    func testP29_aSecretWithoutExpiryIsRead() async throws {
        let world = try World()
        let request = RegistrationRequest(world.configuration, redirectURIs: [])
        world.transport.enqueue(.json(#"{"client_id":"c","client_secret":"s"}"#, status: 201))
        let confidential = try await world.service.register(request)
        XCTAssertEqual(confidential.clientSecret, "s")
        XCTAssertNil(confidential.clientSecretExpiresAt)
        for member in [#""registration_access_token":"t""#, #""registration_client_uri":"https://op.example/c""#] {
            world.transport.enqueue(.json(#"{"client_id":"c",\#(member)}"#, status: 201))
            let half = try await world.service.register(request)
            XCTAssertNil(half.registrationClientURI)
            XCTAssertNil(half.registrationAccessToken)
        }
    }

    func testP30_endSessionSendsItsParametersAndChecksState() throws {
        let request = EndSessionRequest(
            configuration: try World().configuration, idTokenHint: "a.b.c",
            postLogoutRedirectURI: try RedirectURI("https://app.example/bye"))
        let sent = try XCTUnwrap(Parameters(decoding: try request.url().absoluteString.split(separator: "?")[1]))
        XCTAssertEqual(sent["id_token_hint"], "a.b.c")
        XCTAssertEqual(sent["post_logout_redirect_uri"], "https://app.example/bye")
        XCTAssertEqual(sent["state"], request.state)
        let back = "https://app.example/bye?state="
        try request.validate(AuthorizationCallback(url: back + request.state))
        XCTAssertEqual(code { try request.validate(AuthorizationCallback(url: back + "x")) }, .stateMismatch)
    }

    func testP31_theIDTokensClaimsAreChecked() async throws {
        for (name, value) in [
            ("iss", "https://evil.example"), ("aud", "other"), ("exp", 1_799_999_000), ("iat", 1_799_999_000),
            ("iat", 1_800_000_700), ("nonce", "other"),
        ] as [(String, JSONValue)] {
            let error = try await exchange([name: value])
            XCTAssertEqual(error?.code, .invalidIDToken, name)
            XCTAssertTrue(error?.message.contains(name) == true, name)
        }
        let error = try await exchange(["iat": 1_799_999_400])
        XCTAssertNil(error, "600 s are young enough")
    }

    func testP32_aTokenForAnotherAudienceIsRefusedEvenWhenAzpIsTheClient() async throws {
        let error = try await exchange(["aud": "other", "azp": "client"])
        XCTAssertEqual(error?.code, .invalidIDToken)
    }

    /// The error of a code exchange whose ID token has these claims.
    private func exchange(_ changes: [String: JSONValue?]) async throws -> AuthStateError? {
        let (world, mint) = (try World(), try TokenMint())
        var request = try world.request()
        request.nonce = "n"
        var claims: [String: JSONValue?] = ["nonce": "n"]
        claims.merge(changes) { $1 }
        let token = try mint.token(at: world.clock.date, claims)
        let reply = ScriptedTransport.Reply.grantOrKeys(mint, idToken: token)
        world.transport.enqueue(reply, reply)
        let response = try world.codeResponse(request)
        do { _ = try await world.service.exchange(response) } catch let error as AuthStateError { return error }
        return nil
    }
}
