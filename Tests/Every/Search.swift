/// Goes through all worlds that can follow from one, the nearest first.
struct Search {
    struct Result {
        var states = 0
        var moves = 0
        var depth = 0
        /// Whether everything that can happen was tried.
        var isComplete = false
        var broken: String?
        var history: [Move] = []
    }

    /// - Parameter limit: The largest number of worlds.
    static func run(_ start: World, limit: Int) -> Result {
        var result = Result(states: 1)
        var parents: [Int: (parent: Int, move: Move)] = [:]
        let first = start.fingerprint
        var known: Set<Int> = [first]
        var level = [(first, start)]
        while !level.isEmpty {
            var next: [(Int, World)] = []
            for (name, world) in level {
                var isStuck = true
                for move in world.moves {
                    var after = world
                    guard after.apply(move) else { continue }
                    if case .go = move { isStuck = false }
                    result.moves += 1
                    let print = after.fingerprint
                    if let broken = after.ghost.broken ?? (after.isQuiet ? after.closing() : nil) {
                        result.broken = broken
                        result.history = history(of: name, parents) + [move]
                        return result
                    }
                    guard known.insert(print).inserted else { continue }
                    parents[print] = (name, move)
                    next.append((print, after))
                }
                if isStuck, !world.isQuiet {
                    result.broken = "every call goes on"
                    result.history = history(of: name, parents)
                    return result
                }
            }
            result.states += next.count
            result.depth += 1
            level = next
            if result.states > limit { return result }
        }
        result.isComplete = true
        return result
    }

    private static func history(of name: Int, _ parents: [Int: (parent: Int, move: Move)]) -> [Move] {
        var (moves, name) = ([Move](), name)
        while let (parent, move) = parents[name] {
            moves.append(move)
            name = parent
        }
        return moves.reversed()
    }
}
