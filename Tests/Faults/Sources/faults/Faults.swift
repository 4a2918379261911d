import Foundation

/// Many processes, crashes, full disks, lost answers: their effect on a login, with figures.
@main
enum Faults {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        // The program starts itself this way as a worker.
        if arguments.first == "worker", let text = arguments.dropFirst().first {
            return await Worker.run(try JSONDecoder().decode(WorkerTask.self, from: Data(text.utf8)))
        }
        let (conditions, names) = parse(arguments)
        var rows: [[String]] = []
        var isGood = true
        for scenario in Scenario.all where names.isEmpty || names.contains(scenario.name) {
            let (row, isPassed) = try await play(scenario, conditions)
            rows.append(row)
            isGood = isGood && isPassed
        }
        print("\n" + table(["scenario", "outcome", "fails without", "seconds"], rows))
        if !isGood { exit(1) }
    }

    private static func parse(_ arguments: ArraySlice<String>) -> (Conditions, Set<String>) {
        var arguments = arguments
        var conditions = Conditions()
        var names: Set<String> = []
        while let argument = arguments.popFirst() {
            switch (argument, arguments.first) {
            case ("--seconds", let text?) where Double(text).map { $0 > 0 } == true:
                conditions.seconds = Double(text) ?? conditions.seconds
                arguments.removeFirst()
            case ("--kills", let text?) where Int(text).map { $0 > 0 } == true:
                conditions.kills = Int(text) ?? conditions.kills
                arguments.removeFirst()
            case (_, _) where Scenario.all.contains { $0.name == argument }:
                names.insert(argument)
            default:
                print("usage: faults [--seconds S] [--kills N] [SCENARIO…]\n")
                for scenario in Scenario.all { print("\(scenario.name): \(scenario.claim)") }
                exit(argument == "--help" ? 0 : 64)
            }
        }
        return (conditions, names)
    }

    /// Plays a scenario, then its twins, which must fail.
    private static func play(_ scenario: Scenario, _ conditions: Conditions) async throws -> ([String], Bool) {
        let start = ContinuousClock.now
        print("\n== \(scenario.name): \(scenario.claim)")
        let findings = try await scenario.run(conditions)
        for text in findings.tables + findings.notes { print("\n\(text)") }
        for violation in findings.violations { print("VIOLATION: \(violation)") }
        if let reason = findings.skipped { print("SKIPPED: \(reason)") }
        var blind: [Protection] = []
        for protection in findings.skipped == nil ? scenario.twins : [] {
            let violations = try await scenario.run(conditions.twin(without: protection)).violations
            print("\nwithout \(protection.rawValue): \(violations.first ?? "NOTHING SEEN")")
            if violations.isEmpty { blind.append(protection) }
        }
        fflush(nil)
        let isGood = findings.violations.isEmpty && blind.isEmpty
        let outcome = findings.skipped != nil ? "skipped" : isGood ? "holds" : "FAILED"
        let twins = scenario.twins.map { blind.contains($0) ? "NOT \($0.rawValue)" : $0.rawValue }.joined(
            separator: ", ")
        return ([scenario.name, outcome, twins, decimal((ContinuousClock.now - start).seconds, 0)], isGood)
    }
}
