import AuthStateFoundation
import AuthStateLibc

@testable import AuthStateKit

/// Tries every interleaving of two processes on one store.
@main
enum Every {
    static func main() {
        var chances = Chances()
        var (limit, isBehind, isLenient) = (3_000_000, false, false)
        var arguments = CommandLine.arguments.dropFirst()
        chances[.call] = 2
        while let argument = arguments.popFirst() {
            switch argument {
            case "--behind": isBehind = true
            case "--lenient": isLenient = true
            case "--limit": limit = arguments.popFirst().flatMap { Int($0) } ?? limit
            case "--budget":
                for part in (arguments.popFirst() ?? "").split(separator: ",") {
                    let words = part.split(separator: "=")
                    guard let chance = Chance.allCases.first(where: { "\($0)" == words[0] }) else {
                        fail("no such chance: \(part)")
                    }
                    chances[chance] = words.count > 1 ? Int(words[1]) ?? 1 : 1
                }
            default: fail("unknown: \(argument)")
            }
        }
        let begun = ContinuousClock.now
        let start = World(chances, clockBehind: isBehind, isLenient: isLenient)
        let result = Search.run(start, limit: limit)
        let time = ContinuousClock.now - begun
        print("\(result.states) states, \(result.moves) moves, depth \(result.depth), \(time)")
        guard let broken = result.broken else {
            guard result.isComplete else { fail("stopped at the limit") }
            return print("complete, every promise holds")
        }
        print("BROKEN: \(broken)")
        var world = start
        for move in result.history {
            _ = world.apply(move)
            print("  \(move)")
            print("      \(world.summary)")
        }
        exit(1)
    }

    private static func fail(_ text: String) -> Never {
        print(text)
        exit(64)
    }
}

extension World {
    /// One line about a world.
    var summary: String {
        let record = { (record: AuthState.Record?) -> String in
            guard let record else { return "-" }
            let error = record.authorizationError.map { " \($0.code.rawValue)" } ?? ""
            return (record.isLoggedOut ? "end" : record.refreshToken ?? "?")
                + "@\(record.stamps.grant.time - World.start)" + error
        }
        let parts = processes.enumerated().map { index, process in
            let ledger = process.ledger
            let known =
                "p\(index) \(record(ledger.newest.value)), shown \(record(ledger.shown.value)), \(ledger.version?.rawValue ?? "-")"
            return known + (ledger.storeError == nil ? "" : " unsaved") + (ledger.undecided == nil ? "" : " undecided")
        }
        return "store \(record(store.record?.value)) \(store.version?.rawValue ?? "-") | "
            + parts.joined(separator: " | ")
    }
}
