import ArgumentParser
import AuthStateKit
import AuthStateOAuth
import Foundation
import Testing

@testable import AuthStateProgram

struct ResourceAdviceTests {
    private let api = "https://mcp.example/mcp"

    private func hint(
        _ code: AuthStateError.Code, _ stage: AuthStateError.Stage, expected: String? = nil, received: String? = nil,
        hint: String? = nil, for resource: String? = "https://mcp.example/mcp", _ options: [String] = []
    ) throws -> String {
        let error = AuthStateError(code, stage: stage, "", expected: expected, received: received, hint: hint)
        return error.advised(for: try CommonOptions.parse(options), LoginFacts(resource: resource)).hint ?? ""
    }

    @Test func `a new login is for the same API and the same place`() throws {
        let command = "'authstate login --state f --profile p --for \(api)'"
        #expect(
            try hint(.invalidGrant, .refresh, ["--state", "f", "--profile", "p"]) == "Log in again with \(command).")
        #expect(try hint(.invalidGrant, .refresh, for: nil) == "Log in again with 'authstate login'.")
        let given = "Log in with 'authstate login --for https://other.example'."
        #expect(try hint(.notLoggedIn, .store, hint: given) == given)
    }

    @Test func `a challenge that names metadata leads to --for`() throws {
        var error = AuthStateError(.notLoggedIn, stage: .authorization, "Not logged in.", hint: "Log in first.")
        #expect(error.advised.hint == "Log in with 'authstate login'.")
        let value = #"Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp""#
        error.challenge = try #require(AuthenticationChallenge.parse([value])?.first)
        #expect(error.advised.hint?.contains("'authstate login --for'") == true)
    }

    @Test("a client that the server forgot registers anew; one that proves nothing is not asked about its secret")
    func clients() throws {
        func hint(_ stage: AuthStateError.Stage, _ code: AuthStateError.Code, _ login: LoginFacts) -> String {
            let response = OAuthErrorResponse(error: "invalid_client")
            let error = AuthStateError(
                code, stage: stage, "", hint: "Check the client identifier, its secret.", response: response)
            return (try? error.advised(for: CommonOptions.parse([]), login).hint) ?? ""
        }
        let registered = LoginFacts(resource: nil, isRegistered: true)
        #expect(hint(.refresh, .invalidClient, registered).contains("'authstate login --register-anew'"))
        let forAPI = hint(.refresh, .invalidClient, LoginFacts(resource: api, isRegistered: true))
        #expect(forAPI.contains("'authstate login --for \(api) --register-anew'"))
        #expect(hint(.logout, .invalidClient, registered).contains("'authstate logout --local'"))
        #expect(
            hint(.token, .invalidClient, LoginFacts(resource: nil, parts: [.identifier])).contains(
                "registered as a public one"))
        #expect(
            hint(.token, .invalidClient, LoginFacts(resource: nil, parts: [.identifier, .secret])).contains(
                "--client-id"))
        // A registration that is refused asks no user.
        let token = hint(.registration, .accessDenied, LoginFacts())
        #expect(token.contains("--initial-access-token-env") && !token.contains("allow the access"))
        #expect(hint(.registration, .accessDenied, registered).contains("logout --local"))
        #expect(hint(.authorization, .accessDenied, LoginFacts()).contains("allow the access"))
    }

    @Test func `a server that refuses the parameter resource is met without it, by name`() throws {
        #expect(try hint(.invalidTarget, .token).contains("--tolerate unnamed-resource"))
        var error = AuthStateError(
            .invalidRequest, stage: .authorization, "",
            response: OAuthErrorResponse(
                error: "invalid_request", errorDescription: "AADSTS901002: 'resource' is not supported."))
        let facts = LoginFacts(resource: api)
        #expect(try error.advised(for: CommonOptions.parse([]), facts).hint?.contains("unnamed-resource") == true)
        error.response = OAuthErrorResponse(error: "invalid_request", errorDescription: "No state.")
        #expect(try error.advised(for: CommonOptions.parse([]), facts).hint?.contains("unnamed-resource") != true)
    }

    @Test func `another name at the same server can be used, that of another server cannot`() throws {
        let parent = try hint(.resourceMismatch, .discovery, expected: api, received: "https://mcp.example")
        #expect(parent.contains("the name that the API has, https://mcp.example;"))
        #expect(parent.contains("--tolerate parent-resource"))
        let stranger = try hint(.resourceMismatch, .discovery, expected: api, received: "https://evil.example/mcp")
        #expect(stranger.contains("Do not log in") && !stranger.contains("evil"))
    }

    @Test func `an API without metadata has another cause than a server of its without metadata`() throws {
        #expect(try hint(.discoveryFailed, .discovery, hint: "Check the URL of the resource.").contains("--for"))
        let server = try hint(.discoveryFailed, .discovery, hint: "Ask the operator of the resource, which names it.")
        #expect(server.contains("API's operator") && !server.contains("--for"))
    }

    @Test func `a server that does not renew may have been replaced`() throws {
        #expect(try hint(.unreachable, .refresh).contains("'authstate login --for \(api)'"))
        #expect(try !hint(.unreachable, .refresh, for: nil).contains("authstate login"))
    }

    @Test(
        "the ways to be a client are the server's own",
        arguments: [
            ("", [], ["--client-metadata-url", "--register"]),
            (", or a metadata document", ["--client-metadata-url"], ["--register"]),
            (", or a metadata document, or permission to register", ["--client-metadata-url", "--register"], []),
        ] as [(String, [String], [String])])
    func clients(_ ways: String, _ named: [String], _ unnamed: [String]) throws {
        let advice = try hint(.endpointMissing, .registration, expected: "a client registered by hand" + ways)
        #expect((["--client-id"] + named).allSatisfy(advice.contains))
        #expect(!unnamed.contains(where: advice.contains))
    }

    @Test func `a client at another server, a private address, and a page that cannot be shown`() throws {
        let moved = try hint(.clientIssuerMismatch, .registration)
        #expect(moved.contains("--client-id and --issuer") && moved.contains("--register"))
        #expect(try hint(.addressNotAllowed, .resourceMetadata).contains("--allow-private-addresses"))
        let page = try hint(.browserUnavailable, .authorization)
        #expect(page.contains("--paste") && page.contains("--grant device where the server has that"))
        let device = try hint(.endpointMissing, .authorization, expected: "device_authorization_endpoint")
        #expect(device.contains("--paste") && !device.contains("--device-authorization-endpoint"))
        #expect(try hint(.browserUnavailable, .authorization, for: nil).contains("--grant device"))
        #expect(try hint(.discoveryFailed, .resourceMetadata).contains("--for"))
        #expect(try hint(.discoveryFailed, .discovery, for: nil).contains("--issuer, or --domain"))
    }

    @Test func `--step-up brings more rights, unless that was in vain`() throws {
        let first = try hint(.insufficientScope, .resource, hint: "Log in for more scopes.")
        #expect(first.contains("--step-up") && first.contains("--for \(api) --scope'"))
        let vain = "Ask the operator of the resource which scope this request needs."
        #expect(try hint(.insufficientScope, .resource, hint: vain) == vain)
        #expect(try !hint(.insufficientScope, .resource, for: nil).contains("--step-up"))
    }

    @Test func `an error of a login for an API begins with the step that failed; one at a provider does not`() throws {
        let options = try CommonOptions.parse([])
        for (stage, step) in AuthStateError.resourceSteps {
            let error = AuthStateError(.unreachable, stage: stage, "Down.")
            #expect(error.advised(for: options, LoginFacts(resource: api)).message == "\(step): Down.")
            #expect(error.advised(for: options).message == "Down.")
        }
        let usage = AuthStateError(.invalidArgument, stage: .usage, "Wrong.")
        #expect(usage.advised(for: options, LoginFacts(resource: api)).message == "Wrong.")
    }

    @Test func `both codes are faults of the configuration`() {
        for code in [AuthStateError.Code.resourceMismatch, .clientIssuerMismatch] {
            #expect(ExitReason(AuthStateError(code, stage: .resourceMetadata, "").kind) == .configuration)
        }
    }

    @Test func `a state shows the API that it is for, and others none`() {
        let provider = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/unused"))
        var record = AuthState.Record(Client(provider, id: "cli"))
        #expect(StateSummary(record: record, now: .init()).json["resource"] == nil)
        record.annotations = ["resource": api]
        let summary = StateSummary(record: record, now: .init())
        #expect(summary.json["resource"]?.stringValue == api && summary.lines.contains("resource: \(api)"))
    }
}
