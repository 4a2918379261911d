import AuthStateKit
import AuthStateTesting
import Foundation
import XCTest

/// AppAuth's device grant (tvOS): what it does well, and what it does not.
final class DeviceTests: XCTestCase {
    private func world() throws -> World {
        var world = try World()
        world.configuration.deviceAuthorizationEndpoint = try url("https://op.example/device_authorization")
        return world
    }

    /// Begins a login that the provider answers with these members.
    private func begin(_ world: World, _ members: String) async throws -> DeviceAuthorizationResponse {
        world.transport.enqueue(.json(#"{"device_code":"d","user_code":"WDJB-MJHT",\#(members)}"#))
        return try await world.service.authorizeDevice(
            DeviceAuthorizationRequest(Client(world.configuration, id: "client"), scopes: ["api"]))
    }

    func testP34_deviceAuthorizationReadsVerificationURLAndDefaultsToFiveSeconds() async throws {
        let world = try world()
        let response = try await begin(
            world,
            #""verification_url":"https://op.example/go","verification_url_complete":"https://op.example/go?c=W","#
                + #""expires_in":1800"#)
        XCTAssertEqual(response.verificationURI.absoluteString, "https://op.example/go")
        XCTAssertEqual(response.verificationURIComplete?.absoluteString, "https://op.example/go?c=W")
        XCTAssertEqual(response.interval, .seconds(5))
        XCTAssertEqual(response.expiresAt, world.clock.date.addingTimeInterval(1800))
    }

    func testD15_slowDownAddsFiveSecondsForGood() async throws {
        let world = try world()
        let response = try await begin(world, #""verification_uri":"https://op.example/go","expires_in":1800"#)
        world.transport.enqueue(refusal("slow_down"), refusal("authorization_pending"), grant("a1"))
        let task = Task { try await world.service.pollTokens(for: response) }
        for (asked, pause) in [5.0, 10, 10].enumerated() {
            await world.clock.sleepers()
            world.clock.advance(by: .seconds(pause - 0.5))
            await world.clock.sleepers()
            XCTAssertEqual(world.forms.count, asked)
            world.clock.advance(by: .seconds(0.5))
        }
        let tokens = try await task.value
        XCTAssertEqual(tokens.accessToken, "a1")
        XCTAssertEqual(world.forms.map { $0["device_code"] }, ["d", "d", "d"])
    }

    func testD15_aLocalExpiryEndsTheLoginWithAnError() async throws {
        let world = try world()
        let response = try await begin(world, #""verification_uri":"https://op.example/go","expires_in":12"#)
        world.transport.enqueue(refusal("authorization_pending"), refusal("authorization_pending"))
        let task = Task { try await world.service.pollTokens(for: response) }
        for _ in 0..<2 {
            await world.clock.sleepers()
            world.clock.advance(by: .seconds(5))
        }
        let error = await failure { try await task.value }
        XCTAssertEqual(error?.code, .deviceCodeExpired)
        XCTAssertEqual(world.forms.count, 2)
    }
}
