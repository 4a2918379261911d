import AuthStateKit
import AuthStateTesting
import Foundation
import Testing

/// RFC 6749, section 5.2, has `invalid_grant` for a refresh token that is no longer valid.
struct RefreshTokenRefusalTests {
    private static let texts = [
        "Refresh token inactive", #"Invalid "refresh_token" in request."#, "The refresh token is invalid.",
        "Value passed for the token was invalid.",
    ]

    private func answer(_ error: String, _ text: String, status: Int = 400) throws -> ScriptedTransport.Reply {
        let body = try JSONSerialization.data(withJSONObject: ["error": error, "error_description": text])
        return .json(String(decoding: body, as: UTF8.self), status: status)
    }

    private func refusal(_ reply: ScriptedTransport.Reply) async throws -> (AuthStateError?, AuthState) {
        let fixture = try Fixture([reply], lifetime: -1)
        let state = fixture.state()
        return (await authError { try await state.freshTokens() }, state)
    }

    @Test("a refusal with a known text counts as invalid_grant", arguments: texts)
    func recognised(_ text: String) async throws {
        let (error, state) = try await refusal(answer("invalid_request", text))
        #expect(error?.code == .invalidGrant && error?.kind == .reauthenticationRequired && error?.hint != nil)
        #expect(error?.response?.error == "invalid_request")
        #expect(state.authorizationError?.code == .invalidGrant)
    }

    @Test("a code for an inactive token counts as invalid_grant")
    func inactive() async throws {
        let (error, state) = try await refusal(
            answer(
                "token_inactive", "Token is inactive because it is malformed, expired or otherwise invalid.",
                status: 401))
        #expect(error?.code == .invalidGrant && state.authorizationError?.code == .invalidGrant)
    }

    @Test(
        "a refusal with another text or error does not count as invalid_grant",
        arguments: [
            ("invalid_request", "Missing parameter: refresh_token"), ("invalid_request", ""),
            ("invalid_scope", "Refresh token inactive"),
        ])
    func others(_ code: String, _ text: String) async throws {
        let (error, state) = try await refusal(answer(code, text))
        #expect(error?.kind == .configuration && state.isAuthorized)
    }

    @Test(
        "a refusal whose words seem to be about the refresh token advises a login, and keeps the grant",
        arguments: [
            ("invalid_request", "refresh token inactive"), ("invalid_request", "Refresh token inactive."),
            ("unauthorized_client", "The refresh_token has expired or was revoked"),
            ("invalid_request", "Invalid Token!"), ("Bad Request", "Invalid refresh token"),
            ("invalid_refresh_token", ""),
            ("invalid_request", "The refresh token could not be validated."), ("token_expired", ""),
        ])
    func probable(_ code: String, _ text: String) async throws {
        let (error, state) = try await refusal(answer(code, text))
        #expect(error?.code == .refusedWithoutReason && error?.hint == "Log in again." && state.isAuthorized)
    }

    @Test(
        "the status 401 says whether the client or the refresh token is refused where the error code does not",
        arguments: [
            ("server_error", AuthStateError.Code.refusedWithoutReason, AuthStateError.Code.invalidClient),
            ("access_denied", .invalidClient, .invalidClient),
        ])
    func unauthorized(_ code: String, renewal: AuthStateError.Code, request: AuthStateError.Code) async throws {
        let (error, state) = try await refusal(answer(code, "access_denied", status: 401))
        #expect(error?.code == renewal && error?.hint != nil && state.isAuthorized)
        let fixture = try Fixture(then: answer(code, "access_denied", status: 401))
        let client = Client(fixture.record.client.provider, id: "c")
        let refused = await authError { try await fixture.service.perform(TokenRequest(client, .clientCredentials)) }
        #expect(refused?.code == request && refused?.hint?.contains("client identifier") == true)
        let poll = TokenRequest(client, .deviceCode("device-code"))
        #expect(await authError { try await fixture.service.perform(poll) }?.response?.error == code)
        #expect(await authError { try await fixture.service.perform(poll) }?.code != .invalidClient)
    }

    @Test("a refusal with a known text ends the login after the store was read again, and no further request is sent")
    func endsLogin() async throws {
        let fixture = try Fixture([answer("invalid_request", Self.texts[0], status: 401)], lifetime: -1)
        let state = fixture.state()
        _ = await authError { try await state.freshTokens() }
        #expect(await authError { try await state.freshTokens() }?.code == .invalidGrant)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("a refusal of another request with such a text keeps its code")
    func code() async throws {
        let fixture = try Fixture([answer("invalid_request", Self.texts[0])])
        let request = TokenRequest(Client(fixture.record.client.provider, id: "c"), .clientCredentials)
        #expect(await authError { try await fixture.service.perform(request) }?.code == .invalidRequest)
    }
}
