package import AuthStateFoundation

extension URL {
    /// The URL with parameters added; its own query is kept, but for names that would come twice (RFC 6749, section 3.1).
    /// Throws `AuthStateError` with `.invalidMetadata` when the result is no URL.
    package func appending(_ parameters: Parameters, stage: AuthStateError.Stage) throws -> URL {
        let text = absoluteString.prefix { $0 != "#" }
        let kept = (URIReference(text).query ?? "").split(separator: "&").filter { part in
            PercentEncoding.decode(part.prefix { $0 != "=" }).map { parameters[$0] == nil } ?? true
        }
        let query = (kept.map(String.init) + [parameters.encoded]).filter { !$0.isEmpty }.joined(separator: "&")
        guard let url = URL(string: text.prefix { $0 != "?" } + (query.isEmpty ? "" : "?\(query)")) else {
            throw AuthStateError(
                .invalidMetadata, stage: stage, "The endpoint is not a URL.", received: redactedDescription)
        }
        return url
    }
}

extension URL? {
    /// Returns an endpoint of a provider; throws `AuthStateError` with `.endpointMissing` where it has none.
    package func required(
        at stage: AuthStateError.Stage, _ message: String, expected: String? = nil, hint: String? = nil
    ) throws -> URL {
        guard let self else {
            throw AuthStateError(.endpointMissing, stage: stage, message, expected: expected, hint: hint)
        }
        return self
    }
}
