import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// The newest nonce of each server for each key (RFC 9449, sections 8 and 9); in memory, because nonces do not last.
final class DPoPNonces: Sendable {
    /// A nonce is one server's; servers may tie it to a key.
    private struct Place: Hashable {
        var origin: String
        var thumbprint: String
    }

    /// A nonce that one answer of a server asked for.
    struct Asked: Sendable {
        var origin: String
        var nonce: String
    }

    private static let limit = 4096
    private let known = Lock<(order: [Place], nonces: [Place: String])>(([], [:]))

    static func origin(of url: URL) -> String { URIReference(url.absoluteString).origin }

    /// Returns the nonce that a server wants in the next proof of a key; nil when it has sent none.
    func nonce(forOrigin origin: String, _ key: DPoPKey) -> String? {
        let place = Place(origin: origin, thumbprint: key.thumbprint)
        return known.withLock { $0.nonces[place] }
    }

    /// Takes the nonce that came with an answer, whatever the answer was.
    ///
    /// - Returns: The nonce; nil when there was no usable one.
    @discardableResult
    func recordNonce(from headers: TransportHeaders, of url: URL, _ key: DPoPKey) -> String? {
        guard let nonce = headers.dpopNonce else { return nil }
        let place = Place(origin: Self.origin(of: url), thumbprint: key.thumbprint)
        known.withLock { known in
            guard known.nonces.updateValue(nonce, forKey: place) == nil else { return }
            known.order.append(place)
            guard known.order.count > Self.limit else { return }
            for old in known.order.prefix(Self.limit / 2) { known.nonces[old] = nil }
            known.order.removeFirst(Self.limit / 2)
        }
        return nonce
    }
}
