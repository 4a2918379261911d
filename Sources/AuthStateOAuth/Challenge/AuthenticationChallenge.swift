import AuthStateJOSE

/// One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1; RFC 6750, section 3).
public struct AuthenticationChallenge: Sendable, Hashable, Codable {
    /// The scheme as written, for example `Bearer`.
    public var scheme: String
    /// The parameters, their names in lower case.
    public var parameters: [String: String]
    /// The credentials-like text that some schemes send instead of parameters.
    public var token68: String?

    package init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// `error`, for example `invalid_token`.
    public var error: String? { parameters["error"] }
    /// `error_description`.
    public var errorDescription: String? { parameters["error_description"]?.printable() }
    /// `scope`, the scopes that give access.
    public var scope: String? { parameters["scope"] }

    /// Whether the scheme is this one, in any case.
    package func hasScheme(_ name: String) -> Bool { scheme.equalsIgnoringASCIICase(name) }

    /// The challenge as an error keeps it, which may be archived and shown: the first 32 parameters by name, and of each
    /// 1024 printable characters, of `scope` 8192: a login asks for them.
    package var cut: AuthenticationChallenge {
        var copy = AuthenticationChallenge(scheme: scheme.printable(), token68: token68?.printable(1024))
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }).prefix(32) {
            copy.parameters[name.printable()] = value.printable(name == "scope" ? 8192 : 1024)
        }
        return copy
    }

    /// Reads the values of all header lines; several challenges may share a line.
    ///
    /// A missing comma between parameters is read as one, and a value may lack its quotation marks. Nil when a line can be read in
    /// more than one way, or in none.
    public static func parse(_ lines: [String]) -> [AuthenticationChallenge]? {
        var challenges: [AuthenticationChallenge] = []
        for line in lines {
            var parser = ChallengeParser(line)
            guard let parsed = parser.parse() else { return nil }
            challenges += parsed
        }
        return challenges
    }

    /// Sets a parameter; one that comes twice makes the challenge unreadable.
    fileprivate mutating func set(_ name: String, _ value: String) -> Bool {
        parameters.updateValue(value, forKey: name.lowercased()) == nil
    }
}

private struct ChallengeParser {
    private var rest: Substring.UTF8View

    init(_ line: String) { rest = line[...].utf8 }

    mutating func parse() -> [AuthenticationChallenge]? {
        var challenges: [AuthenticationChallenge] = []
        skipSeparators()
        while !rest.isEmpty {
            guard let word = token() else { return nil }
            let start = rest
            let spaces = skipSpaces()
            if !challenges.isEmpty, rest.first == UInt8(ascii: "=") {
                // `name =` after a comma: another parameter of the same challenge.
                rest = start
                guard let value = parameterValue() else { return nil }
                guard challenges[challenges.count - 1].set(word, value) else { return nil }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word))
                if spaces > 0, !firstArgument(of: &challenges[challenges.count - 1]) { return nil }
            }
            let isSpaced = rest.first == 0x20 || rest.first == 0x09
            let mayGoOn = isSpaced && challenges.last?.token68 == nil
            guard endOfElement() || mayGoOn && nextParameter() else { return nil }
        }
        return challenges
    }

    /// Reads the part that directly follows a scheme: a parameter, a token68, or nothing.
    private mutating func firstArgument(of challenge: inout AuthenticationChallenge) -> Bool {
        if rest.isEmpty || rest.first == UInt8(ascii: ",") { return true }
        let start = rest
        if let name = token() {
            if let value = parameterValue() { return challenge.set(name, value) }
            rest = start
        }
        guard let text = token68() else { return false }
        challenge.token68 = text
        return true
    }

    /// `= value` with optional white space; nil, with the cursor anywhere, when it is something else.
    private mutating func parameterValue() -> String? {
        skipSpaces()
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest.removeFirst()
        skipSpaces()
        if rest.first == UInt8(ascii: "\"") { return quotedString() }
        // A token68 has nothing but `=` after its first one.
        guard let word = token() else { return nil }
        guard let more = text({ (0x21...0x7E).contains($0) && !"\",;".utf8.contains($0) }) else { return word }
        Leniency.challengeQuotes.note("WWW-Authenticate")
        return word + more
    }

    private mutating func quotedString() -> String? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(strictUTF8: bytes)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func token() -> String? { text(\.isInToken) }

    private mutating func token68() -> String? {
        guard var text = text({ $0.isAlphanumeric || "-._~+/".utf8.contains($0) }) else { return nil }
        while rest.first == UInt8(ascii: "=") {
            rest.removeFirst()
            text += "="
        }
        return text
    }

    private mutating func text(_ isPart: (UInt8) -> Bool) -> String? {
        let part = rest.prefix(while: isPart)
        guard !part.isEmpty else { return nil }
        rest = rest[part.endIndex...]
        return String(Substring(part))
    }

    private mutating func endOfElement() -> Bool {
        skipSpaces()
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return false }
        skipSeparators()
        return true
    }

    /// Whether another parameter follows after spaces alone, where a comma belongs.
    private mutating func nextParameter() -> Bool {
        let start = rest
        defer { rest = start }
        guard token() != nil, skipSpaces() == 0, rest.first == UInt8(ascii: "=") else { return false }
        Leniency.challengeSpaces.note("WWW-Authenticate")
        return true
    }

    @discardableResult private mutating func skipSpaces() -> Int {
        let spaces = rest.prefix { $0 == 0x20 || $0 == 0x09 }
        rest = rest[spaces.endIndex...]
        return spaces.count
    }

    private mutating func skipSeparators() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }
}
