import AuthStateJOSE

/// The secrets that a request carried, to be hidden in every text about its answer: a server may repeat them.
///
/// A secret is found as it is, percent-encoded, in base64, and as JSON and HTML write it. Where a provider's own text is
/// shown, a part of at least eight characters that was cut off is found too. A secret of four to seven characters is hidden
/// only in a provider's text and only where it stands by itself, because it may be a part of any word; a shorter one, such
/// as a code of three digits, is not hidden.
package struct RequestSecrets: Sendable {
    private let short: [String]
    /// The ways in which the secrets are written.
    package let forms: [String]
    /// Those of which a part is a secret too.
    private let divisible: [String]

    /// Takes secrets as the program knows them; wholes are secret only as such, as is a secret beside an identifier.
    package init(_ secrets: some Sequence<String>, wholes: [String] = []) {
        let secrets = Set(secrets)
        short = secrets.filter { (4..<8).contains($0.utf8.count) }.sorted()
        divisible = Array(Set(secrets.filter { $0.utf8.count >= 8 }.flatMap(Self.forms)))
        // The longest first: one secret may be a part of another.
        forms = Set(divisible + wholes.flatMap(Self.forms)).sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    private static func forms(of secret: String) -> [String] {
        let bytes = Array(secret.utf8)
        let json = String(decoding: JSONValue.string(secret).serialized().dropFirst().dropLast(), as: UTF8.self)
        let base64 = Base64.encode(bytes)
        let html = secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return [
            secret, secret.printable(.max), json, json.replacing("/", with: "\\/"), html,
            html.replacing("\"", with: "&quot;").replacing("'", with: "&#39;"),
            html.replacing("\"", with: "&#34;").replacing("'", with: "&#x27;"),
            base64, String(base64.prefix { $0 != "=" }), Base64URL.encode(bytes),
            PercentEncoding.uri(secret), PercentEncoding.form(secret),
        ]
    }

    /// A text of our own, in which a provider's words may stand: without the secrets.
    package func hiding(_ text: String) -> String { hide(text, mark: "…") }

    /// A provider's text: without the secrets, parts of them, and short ones.
    package func hiding(foreign text: String, mark: String = "…") -> String {
        let text = hide(text, mark: mark)
        var (hidden, rest, words) = ("", text[...], 0)
        while let start = rest.firstIndex(where: Self.isOfToken) {
            hidden += rest[..<start]
            let run = rest[start...].prefix(while: Self.isOfToken)
            let word = Self.withoutFullStops(run)
            rest = rest[run.endIndex...]
            words += word.utf8.count < 8 ? 0 : 1
            // Each is looked for in all secrets. No honest text has so many.
            guard words <= 500 else {
                (hidden, rest) = (hidden + mark, "")
                break
            }
            let isPart = word.utf8.count >= 8 && divisible.contains { $0.contains(word) }
            hidden += isPart ? mark + run[word.endIndex...] : String(run)
        }
        hidden += rest
        for secret in short where hidden.contains(secret) { hidden = hidden.replacing(word: secret, with: mark) }
        return hidden
    }

    private func hide(_ text: String, mark: String) -> String {
        let text = text.contains("%") ? text.uppercasingEscapes : text
        return forms.reduce(text) { $0.contains($1) ? $0.replacing($1, with: mark) : $0 }
    }

    /// A sentence ends, and a provider may cut a token off, with full stops.
    private static func withoutFullStops(_ run: Substring) -> Substring {
        run.prefix(upTo: run.lastIndex { $0 != "." }.map(run.index(after:)) ?? run.startIndex)
    }

    /// Whether a character can be part of a token (RFC 6750, section 2.1) or of an escape.
    private static func isOfToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-._~+/%".contains(character))
    }
}

extension String {
    /// With the hexadecimal digits of percent-encodings in upper case, as `PercentEncoding` writes them.
    fileprivate var uppercasingEscapes: String {
        let parts = split(separator: "%", omittingEmptySubsequences: false)
        return ([String(parts[0])] + parts.dropFirst().map { $0.prefix(2).uppercased() + $0.dropFirst(2) })
            .joined(separator: "%")
    }

    /// Replaces a text where neither a letter nor a digit is beside it.
    fileprivate func replacing(word: String, with mark: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: word) {
            let before = rest[..<range.lowerBound].last ?? result.last
            let after = rest[range.upperBound...].first
            let isWord = ![before, after].contains { $0?.isLetter == true || $0?.isNumber == true }
            result += rest[..<range.lowerBound] + (isWord ? mark : word)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

extension RequestSecrets {
    /// An error that an answer led to, without the request's secrets that the answer repeats.
    package func hiding(_ error: AuthStateError) -> AuthStateError {
        var copy = error
        copy.response = error.response.map(hiding)
        if let response = error.response, let hidden = copy.response {
            copy.message = error.message.replacing(response.summary, with: hidden.summary)
        }
        copy.message = hiding(copy.message)
        // The requirements of a challenge are the resource's own text.
        copy.expected = error.expected.map { error.challenge == nil ? hiding($0) : hiding(foreign: $0) }
        copy.received = error.received.map { hiding(foreign: $0) }
        copy.hint = error.hint.map { hiding($0) }
        copy.challenge = error.challenge.map(hiding)
        copy.responseBody = error.responseBody.map { hiding(foreign: $0) }
        copy.underlying = error.underlying.map { hiding(foreign: $0) }
        return copy
    }

    private func hiding(_ response: OAuthErrorResponse) -> OAuthErrorResponse {
        OAuthErrorResponse(
            error: hiding(foreign: response.error),
            errorDescription: response.errorDescription.map { hiding(foreign: $0) },
            errorURI: response.errorURI.map { hiding(foreign: $0) })
    }

    private func hiding(_ challenge: AuthenticationChallenge) -> AuthenticationChallenge {
        AuthenticationChallenge(
            scheme: hiding(foreign: challenge.scheme),
            parameters: Dictionary(
                challenge.parameters.map { (hiding(foreign: $0.key), hiding(foreign: $0.value)) },
                uniquingKeysWith: { first, _ in first }),
            token68: challenge.token68.map { hiding(foreign: $0) })
    }
}
