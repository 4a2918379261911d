import AuthStateApp
import AuthStateKit
import Foundation
import Testing

@testable import AppleApp

/// The declarations in the folder Xcode have to match the list of providers.
struct SetUpTests {
    private let app: AppDeclarations

    init() throws {
        let info = try Self.propertyList("Info.plist")
        let entitlements = try Self.propertyList("AppleApp.entitlements")
        app = AppDeclarations(
            infoDictionary: info,
            associatedDomains: entitlements["com.apple.developer.associated-domains"] as? [String])
    }

    @Test("Nothing is wrong with any provider, and no two share a place in the keychain")
    func providers() {
        for provider in Provider.all {
            #expect(provider.findings(in: app) == [], "\(provider.title)")
        }
        #expect(Set(Provider.all.map(\.id)).count == Provider.all.count)
    }

    @Test("A scheme that Info.plist does not declare is found")
    func undeclared() {
        let findings = Provider.all.flatMap { $0.findings(in: AppDeclarations(urlSchemes: [], associatedDomains: [])) }
        #expect(Set(findings.map(\.code)) == [.schemeNotDeclared, .domainNotAssociated])
    }

    @Test("A scheme that the provider does not accept is found")
    func foreignScheme() throws {
        let login = AuthSessionConfiguration(
            .known(.google), clientID: "1.apps.googleusercontent.com",
            redirectURI: try RedirectURI("com.example.app:/oauth/callback"))
        #expect(Provider(id: "g", title: "Google", login: login).findings(in: app).map(\.code) == [.providerRule])
    }

    @Test("The site's association covers the universal link, and nothing else")
    func association() throws {
        let file = try JSONValue(parsing: Self.read("apple-app-site-association"))
        let details = try #require(file["applinks"]?["details"]?.arrayValue?.first)
        let link = try #require(Provider.all.first { $0.way == .universalLink }?.login.redirectURI)
        #expect(details["components"]?.arrayValue?.compactMap { $0["/"]?.stringValue } == [link.path])
        #expect(details["appIDs"]?.arrayValue == file["webcredentials"]?["apps"]?.arrayValue)
    }

    private static func read(_ name: String) throws -> Data {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Xcode")
        return try Data(contentsOf: folder.appending(path: name))
    }

    private static func propertyList(_ name: String) throws -> [String: Any] {
        let list = try PropertyListSerialization.propertyList(from: read(name), format: nil)
        return try #require(list as? [String: Any])
    }
}
