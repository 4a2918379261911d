import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import XCTest

/// The hybrid flow's first ID token, whose binding to the code AppAuth does not check.
final class HybridDefectTests: XCTestCase {
    func testD11b_theFirstIDTokenMustCarryTheCodesHash() async throws {
        // The digest's left half (OpenID Connect Core, 3.3.2.11), made here without the library's own helper.
        let right = Base64URL.encode(try SHA2.sha256(Array("c".utf8)).prefix(16))
        for (hash, isGood) in [(right, true), ("AAAAAAAAAAAAAAAAAAAAAA", false), (nil, false)] as [(String?, Bool)] {
            let (world, mint) = (try World(), try TokenMint())
            var request = try world.request()
            request.responseType = .codeIDToken
            let nonce = JSONValue.string(try XCTUnwrap(request.nonce))
            let front = try mint.token(at: world.clock.date, ["nonce": nonce, "c_hash": hash.map(JSONValue.string)])
            let back = try mint.token(at: world.clock.date, ["nonce": nonce])
            let reply = ScriptedTransport.Reply.grantOrKeys(mint, idToken: back)
            world.transport.enqueue(reply, reply, reply)
            let url = "https://app.example/cb#code=c&id_token=\(front)&state=\(request.state)"
            let response = try AuthorizationResponse(callback: AuthorizationCallback(url: url), for: request)
            if isGood {
                _ = try await world.service.exchange(response)
            } else {
                let error = await failure { try await world.service.exchange(response) }
                XCTAssertEqual(error?.code, .invalidIDToken)
                XCTAssertTrue(error?.message.contains("c_hash") == true)
                XCTAssertTrue(world.forms.isEmpty, "the code is not spent")
            }
        }
    }
}
