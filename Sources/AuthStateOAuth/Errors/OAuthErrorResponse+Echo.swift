extension OAuthErrorResponse {
    /// Without what the explanation repeats of a request's secrets: whole, in part, or cut off.
    func hiding(_ secrets: [String]) -> OAuthErrorResponse {
        guard let errorDescription else { return self }
        let runs = errorDescription.split { !Self.isOfToken($0) }.map(Self.withoutFullStops).filter { run in
            run.utf8.count >= 8 && secrets.contains { $0.contains(run) || $0.utf8.count >= 8 && run.contains($0) }
        }
        var copy = self
        copy.errorDescription = runs.reduce(errorDescription) { $0.replacing($1, with: "…") }
        return copy
    }

    /// A sentence ends, and a provider may cut a token off, with full stops.
    private static func withoutFullStops(_ run: Substring) -> Substring {
        run.prefix(upTo: run.lastIndex { $0 != "." }.map(run.index(after:)) ?? run.startIndex)
    }

    /// Whether a character can be part of a token (RFC 6750, section 2.1).
    private static func isOfToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
    }
}

extension TokenRequest {
    /// What is good for tokens.
    var secrets: [String] {
        [
            code, codeVerifier?.rawValue, refreshToken, deviceCode, authenticationRequestID, assertion,
            exchange?.subjectToken.token, exchange?.actorToken?.token,
        ].compactMap(\.self)
    }
}
