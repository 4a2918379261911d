import AuthStateHummingbird
import AuthStateJOSE
import AuthStateKit
import Foundation
import Testing

@testable import WebServer

struct SettingsTests {
    @Test("without any the server brings its own provider and listens on this machine")
    func defaults() throws {
        let settings = try Settings(environment: ["HOME": "/home/x"])
        #expect(settings.provider == .demo(port: 8081))
        #expect(settings.baseURL.origin == "http://127.0.0.1:8080")
        #expect(settings.host == "127.0.0.1" && settings.port == 8080)
        #expect(settings.storage == Storage(.files(folder: "/home/x/.local/state/authstate-server")))
        #expect(settings.scopes == [.openID, .profile, .email])
    }

    @Test("a provider, a site behind a proxy, a folder")
    func full() throws {
        let settings = try Settings(environment: [
            "ISSUER": "https://op.example", "CLIENT_ID": "site", "CLIENT_SECRET": "s3cret", "PORT": "9000",
            "HOST": "0.0.0.0", "BASE_URL": "https://App.example:443/", "STATE_FOLDER": "/var/lib/site",
            "SCOPE": "openid offline_access",
        ])
        #expect(
            settings.provider
                == .issuer("https://op.example", clientID: "site", credential: .environment("CLIENT_SECRET")))
        #expect(settings.baseURL.origin == "https://app.example" && settings.baseURL.authority == "app.example")
        #expect(settings.host == "0.0.0.0" && settings.port == 9000)
        #expect(settings.storage == Storage(.files(folder: "/var/lib/site")))
        #expect(settings.scopes == [.openID, .offlineAccess])
        #expect(!"\(settings)".contains("s3cret"))
    }

    @Test("a database, and keys to seal with, the newest first")
    func sealed() throws {
        let keys = try [SealingKey.random(), .random()]
        let texts = keys.map { Data($0.bytes.bytes).base64EncodedString() }
        let settings = try Settings(environment: [
            "DATABASE_URL": "postgresql://db.example/app", "SEALING_KEY": texts.joined(separator: " "),
        ])
        #expect(
            settings.storage
                == Storage(.database(connectionString: "postgresql://db.example/app"), sealingKeys: keys))
        #expect(!"\(settings)".contains(texts[0]))
    }

    @Test("a bad key is not shown")
    func badKey() {
        let error = #expect(throws: SettingsError.self) {
            _ = try Settings(environment: ["HOME": "/x", "SEALING_KEY": "c2VjcmV0"])
        }
        #expect(error?.variable == "SEALING_KEY" && error?.problem.contains("c2VjcmV0") == false)
    }

    @Test(
        "an error names the variable",
        arguments: [
            ("PORT", ["PORT": "http"]), ("PORT", ["PORT": "65536"]), ("BASE_URL", ["BASE_URL": "app.example"]),
            ("BASE_URL", ["BASE_URL": "http://app.example"]), ("BASE_URL", ["BASE_URL": "https://app.example/path"]),
            ("BASE_URL", ["BASE_URL": "https://u@app.example"]), ("BASE_URL", ["BASE_URL": "ftp://app.example"]),
            ("BASE_URL", ["BASE_URL": "http://127.0.0.1.evil.example"]),
            ("ISSUER", ["CLIENT_ID": "site"]), ("ISSUER", ["ISSUER": "op.example", "CLIENT_ID": "site"]),
            ("CLIENT_ID", ["ISSUER": "https://op.example"]),
            ("CLIENT_ID", ["ISSUER": "https://op.example", "CLIENT_ID": ""]),
            ("SCOPE", ["SCOPE": "profile"]), ("STATE_FOLDER", ["HOME": ""]),
        ] as [(String, [String: String])])
    func errors(variable: String, environment: [String: String]) {
        let environment = ["HOME": "/home/x"].merging(environment) { $1 }
        let error = #expect(throws: SettingsError.self) { _ = try Settings(environment: environment) }
        #expect(error?.variable == variable)
    }
}
