import ArgumentParser

/// A command or an option that this program does not have, and the nearest one that it has.
///
/// ArgumentParser looks at the rules between options first, and names a mistyped command an unexpected argument.
struct Mistyped: CustomStringConvertible, Equatable {
    /// The typed word.
    let word: String
    /// Whether it stands where a command does.
    let isCommand: Bool
    /// The nearest known word; nil when none is near.
    let nearest: String?

    /// The first unknown word in the arguments of a program; nil when all are known.
    static func first(in arguments: [String], of root: any ParsableCommand.Type = AuthStateCommand.self) -> Mistyped? {
        var command = root
        var rest = arguments[...]
        while let word = rest.first, !command.allSubcommands.isEmpty {
            if word.hasPrefix("-") { break }
            let known = command.allSubcommands
            guard let next = known.first(where: { $0.name == word }) else {
                // A command that has a default one takes its arguments too.
                guard word != "help", command.configuration.defaultSubcommand == nil else { return nil }
                return Mistyped(word, among: known.map { $0.name } + ["help"], isCommand: true)
            }
            command = next
            rest = rest.dropFirst()
        }
        while let standard = command.configuration.defaultSubcommand { command = standard }
        let options = command.longOptions(of: root)
        let typed = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
        guard let word = typed.first(where: { !options.contains($0) }) else { return nil }
        return Mistyped(word, among: options, isCommand: false)
    }

    private init(_ word: String, among known: [String], isCommand: Bool) {
        (self.word, self.isCommand) = (word, isCommand)
        // The beginning of a known word, of a secret's option for example, is near too.
        let beginning = word.count > 2 ? known.filter { $0.hasPrefix(word) }.min { $0.count < $1.count } : nil
        let distances = known.map { (name: $0, distance: word.distance(to: $0)) }
        let closest = distances.filter { $0.distance <= max(2, word.count / 4) }.min { $0.distance < $1.distance }
        nearest = beginning ?? closest?.name
    }

    var description: String {
        let suggestion = nearest.map { " Did you mean '\($0)'?" } ?? ""
        return "Unknown \(isCommand ? "command" : "option") '\(word)'.\(suggestion)"
    }
}

extension ParsableCommand {
    /// The commands below this one.
    static var allSubcommands: [any ParsableCommand.Type] {
        configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
    }

    /// The word that runs the command.
    static var name: String { configuration.commandName ?? "\(Self.self)".lowercased() }

    /// The options that the help lists, with those of every command.
    fileprivate static func longOptions(of root: any ParsableCommand.Type) -> [String] {
        let help = root.helpMessage(for: Self.self, includeHidden: true, columns: 1000)
        let words = help.split { $0.isWhitespace || ",[]()/".contains($0) }.filter { $0.hasPrefix("--") }
        return Set(words.map(String.init) + ["--help", "--version", "--generate-completion-script"]).sorted()
    }
}

extension String {
    /// How many letters have to be added, left out, changed or swapped with their neighbour.
    fileprivate func distance(to other: String) -> Int {
        let (a, b) = (Array(self), Array(other))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = Swift.min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = Swift.min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
