import AuthStateOAuth

extension Browser {
    /// Splits a command line into words: quotes and backslashes as in a shell, and nothing else of one.
    ///
    /// Variables, wildcards, pipes and substitutions are plain characters.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` for a quote that is not closed, or a lone backslash at the end.
    public static func split(_ commandLine: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = commandLine[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil):
                guard let next = rest.popFirst() else { throw unfinished("The last backslash escapes nothing.") }
                word = (word ?? "") + String(next)
            case ("\\", "\""?) where rest.first.map { "\"\\$`".contains($0) } ?? false:
                word = (word ?? "") + String(rest.removeFirst())
            case ("\"", nil), ("'", nil):
                quote = character
                word = word ?? ""
            case (let end, let begin?) where end == begin: quote = nil
            case (" ", nil), ("\t", nil), ("\n", nil):
                if let finished = word { words.append(finished) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw unfinished("A quote is not closed.") }
        return words + (word.map { [$0] } ?? [])
    }

    private static func unfinished(_ message: String) -> AuthStateError {
        AuthStateError(.invalidArgument, stage: .usage, "The command line cannot be split into words. \(message)")
    }
}
