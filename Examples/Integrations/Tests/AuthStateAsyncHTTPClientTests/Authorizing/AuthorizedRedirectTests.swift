#if os(Linux)
    import AsyncHTTPClient
    import AuthStateAsyncHTTPClient
    import AuthStateKit
    import AuthStateTesting
    import Foundation
    import NIOHTTP1
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct AuthorizedRedirectTests {
        private static func answer(_ status: String, _ fields: String = "") -> [RawServer.Action] {
            [.send(Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\n\r\n".utf8))]
        }

        @Test("another origin gets no token, and its 401 neither renews nor ends the login", arguments: [false, true])
        func otherOrigin(comesBack: Bool) async throws {
            let world = try await AuthorizedWorld()
            let origin = world.provider.url(of: .resource).absoluteString
            let elsewhere = RawServer { _ in
                comesBack ? Self.answer("302 Found", "Location: \(origin)?back\r\n") : Self.answer("401 Unauthorized")
            }
            world.provider.inject(.redirect(to: elsewhere.url + "/", status: 302), at: .resource)
            let token = try #require(world.state.record.accessToken)
            let response = try await world.send()
            #expect(response.status == .unauthorized)
            #expect(elsewhere.requests.count == 1)
            #expect(elsewhere.requests.allSatisfy { !$0.head.contains(token) && !$0.head.contains("uthorization:") })
            #expect(world.state.record.accessToken == token && world.state.isAuthorized)
            await world.stop()
        }

        @Test("a redirect within the origin keeps the token, and a 401 there renews")
        func sameOrigin() async throws {
            let world = try await AuthorizedWorld()
            let origin = world.provider.url(of: .resource).absoluteString
            world.provider.inject(.redirect(to: origin + "?again", status: 302), at: .resource)
            world.provider.rejectAccessTokens()
            let token = world.state.record.accessToken
            #expect(try await world.send().status == .ok)
            #expect(world.requests.count == 3 && world.state.record.accessToken != token)
            await world.stop()
        }

        @Test("the refusal of a proof for another URL is returned, and neither renews nor ends the login")
        func provenElsewhere() async throws {
            let world = try await AuthorizedWorld(isBound: true)
            let origin = world.provider.url(of: .resource).absoluteString
            let token = world.state.record.accessToken
            for challenge in ["invalid_token", "invalid_dpop_proof"] {
                world.provider.inject(.redirect(to: origin + "?again", status: 308), at: .resource)
                world.provider.rejectAccessTokens(challenge: "DPoP error=\"\(challenge)\"")
                #expect(try await world.send().status == .unauthorized)
            }
            #expect(world.state.record.accessToken == token && world.state.isAuthorized)
            #expect(world.provider.statistics.refreshRequests == 0)
            await world.stop()
        }
    }
#endif
