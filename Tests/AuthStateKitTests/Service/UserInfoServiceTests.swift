import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

@Suite("Userinfo by the state")
struct UserInfoServiceTests {
    @Test("signed claims for this client are verified and bound")
    func signed() async throws {
        for answer in [UserInfoForger.signed([:]), .signed(["aud": ["another", "client"], "exp": 1_900_000_000])] {
            let info = try await Attack.offer(answer, UserInfoOptions(requiresSignature: true))
            #expect(info.isSigned && info.isBound && info.name == "Alice")
        }
    }

    @Test("what a provider leaves out is accepted by name only, what is wrong never")
    func tolerance() async throws {
        let absent = try UserInfoForger.signed(["iss": nil, "aud": nil]).state(tolerances: [.unaddressedUserInfo])
        #expect(try await absent.userInfo().isSigned)
        let wrong = try UserInfoForger.signed(["aud": "another"]).state(tolerances: [.unaddressedUserInfo])
        #expect(await authError { try await wrong.userInfo() }?.code == .invalidUserInfo)
    }

    @Test(
        "the content type decides: JSON is no JWT, a JWT is no JSON, and encryption is named",
        arguments: [
            (#"{"sub":"alice"}"#, "application/jwt", AuthStateError.Code.malformedResponse),
            (#"{"sub":"alice"}"#, "Application/JWT; charset=utf-8", .malformedResponse),
            ("e30.e30.", "application/jwt", .malformedResponse),
            ("e30.e30.e30", "application/json", .malformedResponse),
            ("a.b.c.d.e", "application/jwt", .unsupported), ("", "application/jwt", .malformedResponse),
        ])
    func contentTypes(_ body: String, _ mediaType: String, _ code: AuthStateError.Code) async throws {
        let state = try UserInfoForger.raw(body, contentType: mediaType).state()
        let before = state.snapshot
        let error = await authError { try await state.userInfo() }
        #expect(error?.code == code && error?.stage == .userinfo)
        #expect(state.snapshot == before && state.isAuthorized)
    }

    @Test("each failed check is named, and the state stays as it was")
    func refusals() async throws {
        let refusals: [(UserInfoForger, String)] = [
            (.signed(["iss": "https://evil.example"]), "iss"), (.signed(["aud": "another"]), "aud"),
            (.signed(["exp": 1]), "exp"), (.signed(["nbf": 99_999_999_999]), "nbf"),
        ]
        for (answer, claim) in refusals {
            let state = try answer.state()
            let before = state.snapshot
            let error = await authError { try await state.userInfo() }
            #expect(error?.code == .invalidUserInfo && error?.message.contains(claim) == true)
            #expect(error?.kind == .refused && error?.stage == .userinfo && state.snapshot == before)
        }
    }

    @Test("signed claims of a provider whose issuer is not known cannot be verified")
    func noIssuer() async throws {
        let state = try UserInfoForger.signed([:]).state()
        var record = state.snapshot
        record.configuration.issuer = nil
        let error = await authError { try await AuthState(record, service: state.service).userInfo() }
        #expect(error?.code == .invalidMetadata && error?.kind == .configuration)
    }

    @Test("the token goes to no other origin than those that are allowed, in the body neither")
    func origins() async throws {
        var options = AuthState.Options()
        options.allowedOrigins = ["https://api.example"]
        let answer = try UserInfoForger.plain(["sub": "alice"]).state()
        let state = AuthState(answer.snapshot, service: answer.service, options: options)
        for placement in [UserInfoOptions.TokenPlacement.header, .body] {
            let error = await authError { try await state.userInfo(UserInfoOptions(tokenPlacement: placement)) }
            #expect(error?.code == .insecureURL)
        }
    }
}
