import AuthStateOAuth

/// A page whose form takes an authorization response to the client (OAuth 2.0 Form Post Response Mode, section 2).
struct FormPostPage {
    /// The URL that the form is posted to.
    let action: String
    /// The parameters that it sends.
    let parameters: Parameters

    /// Reads the first form of a page; nil when that is not posted to an address of its own.
    init?(_ html: String) {
        let tags = html.matches(of: /<(form|input)\b([^>]*)>/.ignoresCase()).map { match in
            (name: match.output.1.lowercased(), attributes: Self.attributes(String(match.output.2)))
        }
        guard let form = tags.first(where: { $0.name == "form" }), let action = form.attributes["action"],
            form.attributes["method"]?.lowercased() == "post"
        else { return nil }
        var parameters: Parameters = [:]
        for tag in tags where tag.name == "input" {
            if let name = tag.attributes["name"] { parameters.append(name, tag.attributes["value"] ?? "") }
        }
        (self.action, self.parameters) = (action, parameters)
    }

    private static func attributes(_ text: String) -> [String: String] {
        let pairs = text.matches(of: /([A-Za-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/).map { match in
            (match.output.1.lowercased(), unescaped(match.output.2 ?? match.output.3 ?? ""))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing(/&(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([a-z]+));/) { match in
            let number = match.output.1.flatMap { UInt32($0) } ?? match.output.2.flatMap { UInt32($0, radix: 16) }
            if let scalar = number.flatMap(Unicode.Scalar.init) { return String(scalar) }
            return match.output.3.flatMap { entities[String($0)] } ?? String(match.output.0)
        }
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
}
