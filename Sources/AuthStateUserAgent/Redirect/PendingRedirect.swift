import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// A flow whose answer is still to come, as it is kept for the next process; it holds the PKCE verifier.
struct PendingRedirect: Sendable, Hashable, Codable {
    let flow: RestoredRedirect.Flow
    let place: CallbackPlace
    let label: String?
    /// After this time its answer is refused.
    let expiresAt: Date

    /// The `state` that the answer has to carry, which tells it from all others.
    var state: String { flow.state }
}

/// The list of pending redirects as it is stored.
struct RedirectArchive: Sendable {
    private static let format = 2
    var entries: [PendingRedirect] = []

    init() {}

    /// Reads stored bytes; entries in a format of another version are dropped, as they live for minutes only.
    ///
    /// - Throws: `AuthStateError` with `.storeCorrupt` when the bytes are something else.
    init(data: Data) throws {
        guard let header = try? JSONDecoder().decode(Header.self, from: data) else {
            throw AuthStateError(
                .storeCorrupt, stage: .store, "What is stored are no pending redirects; it was left as it is.",
                hint: "Give the redirect router a key of its own.")
        }
        guard header.pendingRedirects == Self.format else { return }
        entries = (try? JSONDecoder().decode(Body.self, from: data))?.entries ?? []
    }

    func data() throws -> Data { try JSONEncoder().encode(Body(pendingRedirects: Self.format, entries: entries)) }

    private struct Header: Codable {
        var pendingRedirects: Int
    }

    private struct Body: Codable {
        var pendingRedirects: Int
        var entries: [PendingRedirect]
    }
}
