/// Text that is safe to send as HTML: interpolated values are escaped, unless they are HTML themselves.
///
///     let greeting: HTML = "<p>Hello, \(name)!</p>"
///
/// So a text from a provider or a user cannot become markup by an oversight.
struct HTML: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    private(set) var description: String

    init(stringLiteral value: String) { description = value }

    init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

    /// Pieces, one after the other.
    init(joining pieces: [HTML]) { description = pieces.map(\.description).joined(separator: "\n") }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ html: HTML) { text += html.description }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTML.escape(value.description)
        }
    }

    /// Safe in text and in quoted attributes.
    private static func escape(_ text: String) -> String {
        var result = ""
        // By scalars: a combining mark must not hide the character that it stands on.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
