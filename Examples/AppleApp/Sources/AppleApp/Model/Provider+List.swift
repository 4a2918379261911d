import AuthStateApp
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The app's providers: put yours here. Every client is registered as a public one, without a secret.
    static let all: [Provider] = {
        // The tests read this list, so that a typing error does not reach a device.
        do { return try [discovered(), byHand(), google(), linked(), paged()] } catch { fatalError("\(error)") }
    }()

    /// Endpoints by discovery; the scheme is the app's own, a domain in reverse (RFC 8252, section 7.1).
    private static func discovered() throws -> Provider {
        Provider(
            id: "discovered", title: "Your provider",
            login: AuthSessionConfiguration(
                .issuer("https://op.example"), clientID: "app",
                redirectURI: try RedirectURI("com.example.app:/oauth/callback"),
                scopes: [.openID, .profile, .email, .offlineAccess]),
            api: URL(string: "https://api.example/hello"))
    }

    /// Endpoints by hand, those of a ForgeRock server for example.
    private static func byHand() throws -> Provider {
        let base = "https://iam.example/am/oauth2"
        func endpoint(_ path: String) -> URL { URL(string: "\(base)/\(path)")! }
        let configuration = ProviderConfiguration(
            issuer: try Issuer(base), authorizationEndpoint: endpoint("authorize"),
            tokenEndpoint: endpoint("access_token"), jwksURI: endpoint("connect/jwk_uri"),
            userInfoEndpoint: endpoint("userinfo"), endSessionEndpoint: endpoint("connect/endSession"),
            revocationEndpoint: endpoint("token/revoke"))
        return Provider(
            id: "by-hand", title: "ForgeRock",
            login: AuthSessionConfiguration(
                .configuration(configuration), clientID: "ios-app",
                redirectURI: try RedirectURI("com.example.app:/oauth/callback"), scopes: [.openID, .profile]))
    }

    /// A provider that the library knows; Google's scheme is its client ID in reverse.
    private static func google() throws -> Provider {
        Provider(
            id: "google", title: "Google",
            login: AuthSessionConfiguration(
                .known(.google), clientID: "1234567890-abc.apps.googleusercontent.com",
                redirectURI: try RedirectURI("com.googleusercontent.apps.1234567890-abc:/oauth2redirect")))
    }

    /// An https redirect URI, which no other app can claim (RFC 8252, section 7.2).
    private static func linked() throws -> Provider {
        Provider(
            id: "linked", title: "By universal link",
            login: AuthSessionConfiguration(
                .issuer("https://op.example"), clientID: "app",
                redirectURI: try RedirectURI("https://app.example/oauth/callback")),
            way: .universalLink)
    }

    /// For a provider that accepts no schemes of apps: the page of Examples/RedirectPage hands over.
    private static func paged() throws -> Provider {
        Provider(
            id: "paged", title: "By a page",
            login: AuthSessionConfiguration(
                .known(.spotify), clientID: "0123456789abcdef",
                redirectURI: try RedirectURI("https://you.example/app/callback/")),
            way: .page(callbackURL: try RedirectURI("com.example.app:/oauth/callback")),
            api: URL(string: "https://api.spotify.com/v1/me/playlists"))
    }
}
