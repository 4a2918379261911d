import AuthStateApp
import AuthStateKit
import Foundation
import Observation

/// One provider's login as its screen shows it.
@available(iOS 17, macOS 14, *)
@Observable @MainActor
final class Account: Identifiable {
    let provider: Provider
    let session: AuthSession
    /// The steps so far, the newest last.
    private(set) var log: [LoginTrace.Entry] = []
    /// The result of the last action, or its error.
    private(set) var result: String?

    nonisolated var id: String { provider.id }

    init(_ provider: Provider, _ parts: LoginParts) {
        let (core, entries) = parts.session(provider)
        self.provider = provider
        session = AuthSession(core)
        Task { [weak self] in
            for await entry in entries { self?.append(entry) }
        }
    }

    /// Kind, scope and expiry of the tokens.
    var tokenFacts: [Fact] { session.authState?.record.tokenFacts ?? [] }

    /// The problems of the set-up, for the developer.
    var setUpFacts: [Fact] {
        provider.findings(in: AppDeclarations(infoDictionary: Bundle.main.infoDictionary)).map {
            Fact(name: $0.severity.rawValue, value: "\($0.message) \($0.hint)")
        }
    }

    /// Calls the provider's API. Stale tokens are renewed first; when the grant is gone, the user signs in again, and the
    /// request is sent once more, if it is still the same account.
    func askAPI() async {
        guard let api = provider.api, let authState = session.authState else { return }
        await show { [session] in
            let response = try await authState.performAction(
                TransportRequest(url: api), reauthorize: session.reauthorization)
            return "\(response.status)\n\(String(decoding: response.body.prefix(4096), as: UTF8.self))"
        }
    }

    /// Renews the tokens, fresh or not.
    func refresh() async {
        await show { [session] in
            let tokens = try await session.authState?.refresh()
            return tokens.map { "\($0)" } ?? "No user is signed in."
        }
    }

    /// Reads the claims about the user again.
    func readUserInfo() async {
        await show { [session] in
            try await session.reloadUser()
            return "Userinfo was read."
        }
    }

    private func append(_ entry: LoginTrace.Entry) { log = log.suffix(500) + [entry] }

    private func show(_ action: () async throws -> String) async {
        do { result = try await action() } catch { result = "\(error)" }
    }
}
