import ArgumentParser
import AuthStateKit
import Foundation
import Testing

@testable import AuthStateProgram

struct OptionsTests {
    private let minimal = ["--issuer", "https://op.example", "--client-id", "cli"]

    @Test(
        "a client for a user registers without a secret, unless the provider takes such clients only with one",
        arguments: [
            (nil, "client_secret_basic"), (["client_secret_basic", "none"], "none"),
            (["private_key_jwt", "client_secret_post"], "client_secret_post"), (["private_key_jwt"], "none"),
            (["client_secret_post", "client_secret_basic"], "client_secret_basic"),
        ] as [([String]?, String)])
    func registeredMethod(_ offered: [String]?, _ method: String) throws {
        func registered(_ grant: TokenOptions.Grant = .authorizationCode, _ key: [String] = []) throws -> String? {
            var document: [String: JSONValue] = ["issuer": "https://op.example"]
            document["token_endpoint_auth_methods_supported"] = offered.map { .array($0.map { .string($0) }) }
            var provider = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/"))
            provider.metadata = try ProviderMetadata(document: document)
            var metadata = ClientMetadata()
            try metadata.prepare(for: [.login(grant)], key: try KeyOptions.parse(key), at: provider)
            return metadata.tokenEndpointAuthMethod?.rawValue
        }
        #expect(try registered() == method && registered(.device) == method)
        #expect(try registered(.ciba) == nil && registered(.authorizationCode, ["--auth-method", "none"]) == "none")
    }

    @Test(
        "calls that make no sense are refused",
        arguments: [
            ["--auth-method", "basic"], ["--auth-method", "none", "--client-secret-env", "S"], ["--max-age", "-1"],
            ["--grant", "client-credentials"], ["--auth-method", "secret-jwt"], ["--auth-method", "private-key-jwt"],
            ["--auth-method", "private-key-jwt", "--client-secret-env", "S"], ["--key-id", "k"], ["--private-key", ""],
            ["--auth-method", "basic", "--private-key", "k"], ["--private-key", "k", "--client-secret-env", "S"],
            ["--auth-method", "none", "--private-key", "k"], ["--assertion-audience", "endpoint"],
            ["--auth-method", "jwt", "--client-secret-env", "S"],
            ["--auth-method", "basic", "--client-secret-env", "S", "--assertion-audience", "endpoint"],
            ["--grant", "client-credentials", "--client-secret-env", "S", "--paste"],
            ["--redirect-uri", "nowhere"], ["--timeout", "0"], ["--param", "=x"], ["--leeway", "-1"],
            ["--response-type", "token"], ["--response-mode", "nonsense"], ["--claims", "email"], ["--claims", "{}"],
            ["--claims", #"{"email":null}"#], ["--param", "claims={}"], ["--authorization-details", "payment"],
            ["--authorization-details", "[]"], ["--authorization-details", #"[{"actions":[]}]"#],
            ["--param", "authorization_details=[]"], ["--grant", "device", "--claims", #"{"userinfo":{}}"#],
            ["--response-type", "code id_token", "--response-mode", "query"],
            ["--response-type", "code id_token", "--response-mode", "query.jwt"],
            ["--response-mode", "form_post", "--paste"], ["--response-mode", "form_post.jwt", "--paste"],
            ["--prompt", "none login"], ["--issuer", ""],
            ["--response-type", "code id_token", "--scope", "profile email"],
            ["--grant", "client-credentials", "--client-secret-env", "S", "--response-mode", "query"],
            ["--grant", "device", "--paste"], ["--grant", "device", "--par"],
            ["--grant", "device", "--request-object"],
            ["--device-authorization-endpoint", "https://op.example/device"], ["--client-name", "x"],
            ["--grant", "device", "--device-authorization-endpoint", "nowhere"], ["--register"],
            ["--grant", "client-credentials", "--client-secret-env", "S", "--par"], ["--request-object"],
            ["--id-token-alg", "HS256"], ["--id-token-alg", "none"], ["--param", "scope=openid"],
            ["--provider", "google"], ["--domain", "x.example"], ["--tolerate", "anything"],
            ["--client-certificate", "c"], ["--auth-method", "tls"], ["--team-id", "T"],
            ["--client-certificate", "c", "--client-certificate-key", "k", "--auth-method", "basic"],
            ["--client-certificate", "c", "--client-certificate-key", "k", "--client-secret-env", "S"],
            ["--client-certificate", "c", "--client-certificate-key", "k", "--private-key", "p"], ["--dpop-key", ""],
            ["--auth-method", "apple", "--private-key", "k"], ["--initial-access-token-env", "T"],
            ["--grant", "jwt-bearer"], ["--grant", "jwt-bearer", "--private-key", "k", "--paste"], ["--subject", "x"],
            ["--grant", "jwt-bearer", "--private-key", "k", "--auth-method", "private-key-jwt"],
            ["--grant", "jwt-bearer", "--assertion-file", "a", "--private-key", "k"],
            ["--grant", "jwt-bearer", "--assertion-file", "a", "--assertion-env", "A"],
            ["--grant", "jwt-bearer", "--assertion-file", "a", "--subject", "x"],
            ["--grant", "jwt-bearer", "--assertion-file", ""], ["--assertion-env", "ey.J0.x"],
            ["--assertion-file", "a", "--client-secret-env", "S"], ["--assertion-file", "a", "--private-key", "k"],
            ["--assertion-file", "a", "--auth-method", "none"], ["--auth-method", "spiffe-jwt"],
            ["--grant", "jwt-bearer", "--assertion-file", "a", "--auth-method", "spiffe-jwt"],
            ["--assertion-file", "a", "--auth-method", "spiffe-jwt", "--client-secret-env", "S"],
            ["--assertion-file", "a", "--assertion-audience", "issuer"],
            ["--assertion-file", "a", "--client-certificate", "c", "--client-certificate-key", "k"],
            ["--grant", "ciba"], ["--grant", "ciba", "--login-hint", ""],
            ["--grant", "ciba", "--login-hint", "ada", "--paste"],
            ["--grant", "ciba", "--login-hint", "ada", "--user-code-env", "12 34"],
            ["--grant", "device", "--login-hint", "ada"], ["--binding-message", "x"],
            ["--grant", "device", "--user-code-env", "CODE"],
            ["--browser-command", "open 'it"], ["--browser-command", " "], ["--profile", "a/b"], ["--state", ""],
        ])
    func refused(arguments: [String]) { #expect(throws: (any Error).self) { try Login.parse(minimal + arguments) } }

    @Test func `an assertion of another party is the grant with or without a client, or proves the client`() throws {
        let issuer = ["--issuer", "https://op.example"]
        let granted = try Login.parse(issuer + ["--grant", "jwt-bearer", "--assertion-file", "/t"])
        #expect(granted.isGrantedByAssertion && granted.proof() == nil)
        #expect(granted.client.assertion == .assertion(file: "/t"))
        let beside = try Login.parse(
            minimal + ["--grant", "jwt-bearer", "--assertion-env", "A", "--client-secret-env", "S"])
        #expect(beside.isGrantedByAssertion && beside.proof() == .environment("S"))
        let proof = try Login.parse(minimal + ["--grant", "client-credentials", "--assertion-file", "/t"])
        #expect(!proof.isGrantedByAssertion && proof.proof() == .assertion(file: "/t"))
        let spiffe = try Login.parse(
            minimal + ["--grant", "client-credentials", "--assertion-file", "/t", "--auth-method", "spiffe-jwt"])
        #expect(spiffe.proof()?.isAssertion == true && spiffe.proof()?.method == .spiffeJWT)
        #expect(throws: (any Error).self) {
            try Login.parse(issuer + ["--grant", "client-credentials", "--assertion-file", "/t"])
        }
        #expect(throws: (any Error).self) {
            try Login.parse(issuer + ["--grant", "jwt-bearer", "--assertion-file", "/t", "--client-secret-env", "S"])
        }
    }

    @Test func `an actor is named by a variable, and only with a token`() throws {
        #expect(try Exchange.parse(["--actor-token-env", "ACTOR", "--actor-type", "jwt"]).actorType == "jwt")
        for arguments in [["--actor-token-env", "ey.J0.x"], ["--actor-type", "jwt"]] {
            let error = #expect(throws: (any Error).self) { try Exchange.parse(arguments) }
            #expect(!Exchange.message(for: try #require(error)).contains("ey.J0"))
        }
    }

    @Test(arguments: [["--state", "x"], ["--profile", "x"], ["--timeout", "5"], ["--runtime"]])
    func `a provider takes no options of a login`(_ words: [String]) {
        #expect(throws: (any Error).self) { try Provider.parse(words) }
        #expect(throws: Never.self) { try Provider.parse(["--port", "0"]) }
    }

    @Test func `a known provider is named instead of an issuer, with what it needs and nothing else`() throws {
        func known(_ arguments: String...) throws -> KnownProvider? {
            try Login.parse(["--client-id", "cli"] + arguments).connection.known()
        }
        #expect(try known("--provider", "GitHub")?.name == "github")
        #expect(try known("--provider", "okta", "--domain", "dev-1.okta.com")?.issuer == "https://dev-1.okta.com")
        #expect(
            try known("--provider", "keycloak", "--domain", "https://sso.example", "--realm", "staff")?.issuer
                == "https://sso.example/realms/staff")
        #expect(try known("--issuer", "https://op.example") == nil)
        func redirectURI(_ arguments: String...) throws -> String? {
            try Login.parse(["--client-id", "cli", "--provider"] + arguments).redirectURI
        }
        #expect(try redirectURI("microsoft") == "http://localhost:0/callback")
        #expect(try redirectURI("auth0", "--domain", "a.auth0.com") == "http://127.0.0.1:8400/callback")
        #expect(try redirectURI("github", "--redirect-uri", "http://[::1]:0/cb") == "http://[::1]:0/cb")
        #expect(try Login.parse(["--client-id", "cli", "--issuer", "https://op.example"]).redirectURI == nil)
        for arguments in [
            [], ["--provider", "nobody"], ["--provider", "okta"], ["--provider", "google", "--realm", "x"],
            ["--provider", "google", "--tenant", "x"], ["--provider", "microsoft", "--domain", "x"],
        ] {
            #expect(throws: (any Error).self) { try Login.parse(["--client-id", "cli"] + arguments) }
        }
        let help = Login.helpMessage().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("google, apple, facebook, github"))
    }

    @Test func `a certificate, and Apple's secret, authenticate the client`() throws {
        let certificate = ["--client-certificate", "/c.pem", "--client-certificate-key", "k.pem"]
        let login = try Login.parse(minimal + certificate)
        #expect(login.client.credential(of: nil) == .certificate())
        let settings = Settings(login.connection, client: login.client, redirectURI: nil)
        #expect(settings.clientCertificateKeyFile == FileManager.default.currentDirectoryPath + "/k.pem")
        #expect(Settings(annotations: settings.annotations) == settings)
        #expect(
            try Login.parse(minimal + certificate + ["--auth-method", "self-signed-tls"]).client.credential(of: nil)
                == .certificate(isSelfSigned: true))
        // Beside another authentication the tokens are bound to the certificate.
        let metadata = try ProviderMetadata(document: [
            "token_endpoint": "https://op.example/token",
            "mtls_endpoint_aliases": ["token_endpoint": "https://mtls.op.example/token"],
        ])
        var plain = ProviderConfiguration(
            authorizationEndpoint: nil, tokenEndpoint: try #require(URL(string: "https://op.example/token")))
        plain.metadata = metadata
        let bound = try Login.parse(
            minimal + certificate + ["--auth-method", "private-key-jwt", "--private-key", "/p.pem"]
        ).client
        #expect(bound.credential(of: nil) == .privateKey(file: "/p.pem"))
        #expect(bound.adapt(plain).tokenEndpoint.host == "mtls.op.example")
        #expect(try Login.parse(minimal).client.adapt(plain).tokenEndpoint.host == "op.example")
        let apple = ["--auth-method", "apple", "--team-id", "T", "--key-id", "K", "--private-key", "/k.p8"]
        #expect(
            try Login.parse(minimal + apple).client.credential(of: nil)
                == .appleSecret(teamID: "T", keyID: "K", key: .file("/k.p8")))
    }

    @Test func `the key that signs requests need not authenticate the client`() throws {
        func client(_ arguments: String...) throws -> ClientOptions {
            try Login.parse(minimal + ["--request-object"] + arguments).client
        }
        let key = ClientCredential.privateKey(file: "/k.pem")
        let both = try client("--private-key", "/k.pem", "--client-secret-env", "S", "--auth-method", "basic")
        #expect(both.credential(of: nil) == .environment("S", method: .clientSecretBasic))
        #expect(both.signingCredential(of: nil) == key)
        let open = try client("--private-key", "/k.pem", "--auth-method", "none")
        #expect(open.credential(of: nil) == nil && open.signingCredential(of: nil) == key)
        #expect(try client("--client-secret-env", "S").signingCredential(of: nil) == .environment("S"))
        #expect(try Login.parse(minimal).client.signingCredential(of: nil) == nil)
    }

    @Test("a login's options reach the request")
    func request() throws {
        let login = try Login.parse(
            minimal + ["--max-age", "5", "--prompt", "login consent", "--login-hint", "ada", "--param", "a=b=c"])
        var request = AuthorizationRequest(
            Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/")), id: "cli"))
        login.authorization.apply(to: &request)
        #expect(request.maxAge == 5)
        #expect(request.prompt == [.login, .consent])
        #expect(request.loginHint == "ada")
        #expect(login.tokens.parameters.first?.name == "a")
        #expect(login.tokens.parameters.first?.value == "b=c")
    }

    @Test func `a client authenticates as the options say, and only the place of its secret or key is kept`() throws {
        func credential(_ arguments: String...) throws -> ClientCredential? {
            try Login.parse(minimal + arguments).client.credential(of: nil)
        }
        #expect(try credential() == nil)
        #expect(try credential("--auth-method", "none") == nil)
        #expect(try credential("--client-secret-env", "S") == .environment("S"))
        let methods: [(String, ClientAuthenticationMethod)] = [
            ("basic", .clientSecretBasic), ("post", .clientSecretPost), ("secret-jwt", .clientSecretJWT),
        ]
        for (name, method) in methods {
            let credential = try credential("--client-secret-env", "S", "--auth-method", name)
            #expect(credential == .environment("S", method: method))
        }
        #expect(try credential("--private-key", "/k.pem") == .privateKey(file: "/k.pem"))
        let named = try credential("--private-key", "k.pem", "--key-id", "1", "--auth-method", "private-key-jwt")
        #expect(named == .privateKey(file: FileManager.default.currentDirectoryPath + "/k.pem", keyID: "1"))
        let machine = try Login.parse(minimal + ["--grant", "client-credentials", "--private-key", "/k.pem"])
        #expect(machine.client.isConfidential)
    }

    @Test func `assertions are for the issuer, or for the called endpoint when that is said`() throws {
        let plain = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/"))
        func isForEndpoint(_ arguments: String...) throws -> Bool {
            try Login.parse(minimal + ["--private-key", "/k.pem"] + arguments).client.adapt(plain)
                .tolerances.contains(.endpointAudience)
        }
        #expect(try !isForEndpoint())
        #expect(try !isForEndpoint("--assertion-audience", "issuer"))
        #expect(try isForEndpoint("--assertion-audience", "endpoint"))
    }

    @Test("response type and mode reach the request, and what is not supported is refused with the reason")
    func answers() throws {
        var request = AuthorizationRequest(
            Client(ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: .init(filePath: "/")), id: "cli"))
        let hybrid = ["--response-type", "id_token code", "--response-mode", "form_post"]
        try Login.parse(minimal + hybrid).authorization.apply(to: &request)
        #expect(request.responseType.rawValue == "id_token code" && request.responseMode == .formPost)
        request.responseMode = nil
        try Login.parse(minimal).authorization.apply(to: &request)
        #expect(request.responseType == .code && request.responseMode == nil)
        for (arguments, reason) in [
            (["--response-type", "id_token token"], "Implicit response types are not supported"),
            (["--response-type", "none"], "This response type is not supported"),
            (["--response-mode", "web.jwt"], "or one of these with .jwt"),
            (["--response-mode", "web_message"], "Use query, fragment or form_post"),
        ] {
            let error = #expect(throws: (any Error).self) { try Login.parse(minimal + arguments) }
            #expect(Login.message(for: try #require(error)).contains(reason), "\(arguments)")
        }
    }

    @Test func `header lines are split at the first colon and hold no line break`() {
        #expect(HeaderLine(argument: "X-A:  b: c")?.value == "b: c")
        #expect(HeaderLine(argument: "no colon") == nil)
        #expect(HeaderLine(argument: "a b: c") == nil)
        #expect(HeaderLine(argument: "a: b\r\nc: d") == nil)
    }

    @Test func `a browser command keeps its quoted words together`() throws {
        #expect(try Browser.split(#"python3 "my browser.py" --follow"#) == ["python3", "my browser.py", "--follow"])
    }

    @Test func `settings survive the way through the archive`() throws {
        let options = try Login.parse(minimal + ["--leeway", "5", "--allow-insecure-http", "--ca-file", "/ca.pem"])
        var settings = Settings(
            options.connection, leeway: options.tokens.leeway, redirectURI: "http://127.0.0.1:0/callback")
        settings.isUnsealedByChoice = true
        #expect(Settings(annotations: settings.annotations) == settings)
        #expect(settings.leeway == 5)
        #expect(Settings(annotations: [:]) == Settings())
    }

    @Test func `the state is where XDG says, unless a file is named`() throws {
        let home = ["HOME": "/home/ada", "XDG_STATE_HOME": "/state"]
        #expect(try StateLocation(state: "f", profile: "default", environment: [:]) == .file("f"))
        #expect(try StateLocation(state: "f", profile: "work", environment: [:]) == .file("f.work"))
        #expect(try StateLocation(state: nil, profile: "work", environment: home) == .folder("/state/authstate"))
        #expect(
            try StateLocation(
                state: nil, profile: "default", environment: ["HOME": "/home/ada", "XDG_STATE_HOME": "no"])
                == .folder("/home/ada/.local/state/authstate"))
        #expect(throws: AuthStateError.self) { try StateLocation(state: nil, profile: "default", environment: [:]) }
    }

    #if os(Linux)
        @Test func `without a display and without a command there is no browser`() throws {
            let options = try BrowserOptions.parse([])
            #expect(throws: AuthStateError.self) { try options.browser(for: .authorization, environment: [:]) }
            _ = try options.browser(for: .authorization, environment: ["DISPLAY": ":0"])
            _ = try BrowserOptions.parse(["--browser-command", "w3m"]).browser(for: .authorization, environment: [:])
        }
    #endif

    @Test("every argument of proxy is for the other program, and only that one runs until it is interrupted")
    func proxy() throws {
        let words = ["--port", "0", "https://api.example", "--help"]
        let proxy = try #require(try AuthStateCommand.parseAsRoot(["proxy"] + words) as? AuthStateProgram.Proxy)
        #expect(proxy.arguments == words)
        #expect(!(try #require(AuthStateCommand.parseAsRoot(["token"]) as? Token)).runsUntilInterrupted)
    }

    @Test("the Security Token Service of a region is in the domain of AWS there")
    func securityTokenService() throws {
        let command = try AWSCredential.parse(["--role-arn", "arn:aws-cn:iam::123456789012:role/work"])
        func url(_ region: String?) throws -> String {
            try command.service(region.map { ["AWS_REGION": $0] } ?? [:]).absoluteString
        }
        #expect(try url(nil) == "https://sts.amazonaws.com/")
        #expect(try url("eu-west-1") == "https://sts.eu-west-1.amazonaws.com/")
        #expect(try url("cn-north-1") == "https://sts.cn-north-1.amazonaws.com.cn/")
    }

    @Test("a host of git's that Unicode calls the same as a named one is another one")
    func gitHosts() throws {
        let servers = try CredentialOptions.parse(["--host", "git.K.example", "--host", "localhost:443"])
        func concerns(_ host: String, by scheme: String = "https") -> Bool {
            GitQuestion(Data("protocol=\(scheme)\nhost=\(host)\n\n".utf8)).concerns(servers)
        }
        #expect(concerns("git.k.example:443") && concerns("LocalHost") && !concerns("localhost:443", by: "http"))
        #expect(concerns("git.k.example") && concerns("GIT.K.EXAMPLE"))
        #expect(!concerns("git.\u{212A}.example") && !concerns("git.k.example:8443") && !concerns("git.k.example."))
        #expect(servers.include(registry: "git.K.example") && !servers.include(registry: "git.\u{212A}.example"))
    }
}
