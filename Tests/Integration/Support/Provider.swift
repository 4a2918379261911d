import Foundation
import Testing

/// A provider that can be started, and what distinguishes it from the others.
struct Provider: Sendable, Hashable {
    /// The software of a provider.
    enum Software: String, Sendable, CaseIterable {
        case glewlwyd
        case djangoOAuthToolkit = "django-oauth-toolkit"
        case doorkeeper
        case pyop
        case allauth
        case openIDConnect = "openid_connect"
    }

    var software: Software
    var isTLS = false
    /// The lifetime of its access tokens; nil is an hour.
    var accessTokenSeconds: Int?
    /// The lifetime of django-oauth-toolkit's ID tokens; nil is ten hours.
    var idTokenSeconds: Int?
    /// Whether Doorkeeper takes a refresh token until the access token that followed it is used, instead of once.
    var keepsSpentTokens = false
    /// The resources that glewlwyd's tokens can be for, beside its own.
    var resources: String?

    static let glewlwyd = Provider(software: .glewlwyd)
    static let glewlwydTLS = Provider(software: .glewlwyd, isTLS: true)
    static let django = Provider(software: .djangoOAuthToolkit)
    static let doorkeeper = Provider(software: .doorkeeper)
    static let lenientDoorkeeper = Provider(software: .doorkeeper, keepsSpentTokens: true)
    static let all = [glewlwyd, glewlwydTLS, django, doorkeeper]
    static let pyop = Provider(software: .pyop)
    static let allauth = Provider(software: .allauth)
    static let openIDConnect = Provider(software: .openIDConnect)
    /// Further providers, at which the program alone is tried.
    static let counterparts = [pyop, allauth, openIDConnect]
    /// The providers with logout, dynamic registration, the hybrid flow and redirects to apps, which Doorkeeper lacks.
    static let complete = [glewlwyd, glewlwydTLS, django]
    /// Providers whose tokens expire while a test waits.
    static let shortLived = [glewlwyd, django, doorkeeper].map { provider in
        var provider = provider
        provider.accessTokenSeconds = 2
        return provider
    }

    /// Where glewlwyd posts logout tokens for the client `basic`; nil is nowhere.
    var backChannelLogoutURI: String?

    /// The start script's settings.
    var environment: [String: String] {
        var settings = isTLS ? ["TLS": "1"] : [:]
        settings["ACCESS_TOKEN_SECONDS"] = accessTokenSeconds.map { "\($0)" }
        settings["ID_TOKEN_SECONDS"] = idTokenSeconds.map { "\($0)" }
        settings["RESOURCES"] = resources
        settings["BACKCHANNEL_LOGOUT_URI"] = backChannelLogoutURI
        if keepsSpentTokens { settings["REFRESH_TOKEN_REUSE"] = "1" }
        return settings
    }

    /// The folder with the scripts, links resolved.
    static let scripts = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Providers").path

    static var installer: String { "Tests/Integration/Providers/install.sh" }

    /// The interpreter of a Python environment that the installer makes.
    static func python(_ environment: String) -> String {
        let variables = ProcessInfo.processInfo.environment
        let folder =
            variables["AUTHSTATE_PROVIDERS"]
            ?? "\(variables["XDG_CACHE_HOME"] ?? "\(variables["HOME"] ?? "")/.cache")/authstatekit-providers"
        return "\(folder)/\(environment)/bin/python"
    }

    /// Whether everything is there that the start scripts and the browser need.
    static let areInstalled: Bool = {
        let environment = ProcessInfo.processInfo.environment
        let search = (environment["PATH"] ?? "").split(separator: ":")
        let commands = ["glewlwyd", "sqlite3", "rnbyc", "openssl"]
        return commands.allSatisfy { command in
            search.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
        }
            && ([LoginBrowser.python] + ["venv", "mcp", "mcp-before", "allauth"].map(python)).allSatisfy(
                FileManager.default.isExecutableFile)
            && ["ruby-doorkeeper-openid-connect", "ruby-openid-connect"].allSatisfy {
                FileManager.default.fileExists(atPath: "/usr/share/doc/\($0)")
            }
    }()

    /// Whether a missing provider is a failure instead of a reason to skip.
    static let areRequired = ProcessInfo.processInfo.environment["AUTHSTATE_REQUIRE_PROVIDERS"] == "1"
}

extension Provider: CustomTestStringConvertible {
    var testDescription: String { software.rawValue + (isTLS ? " with TLS" : "") }
}
