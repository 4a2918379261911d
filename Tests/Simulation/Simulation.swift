import AuthStateLibc

/// The program: runs seeds, prints what was found, and exits with 1 when a rule did not hold.
@main
enum Simulation {
    static func main() {
        makeHashingDeterministic()
        guard SeededRandomness.isInstalled else {
            fatalError(
                "The system's random numbers are not the seed's: link with --export-dynamic, as .ci/simulation does.")
        }
        warmUp()
        var options = Options()
        do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
            print(error)
            exit(2)
        }
        if let seed = options.seed { exit(show(seed, options)) }
        if options.isSelfCheck { exit(SelfCheck.run() ? 0 : 1) }
        var report = Report()
        for seed in options.from..<(options.from + UInt64(options.seeds)) {
            let run = run(seed, options)
            for finding in run.findings where finding.rule == options.rule { print("seed \(seed): \(finding)") }
            if seed % 50 == 0 { report.compare(run, self.run(seed, options), seed: seed) }
            report.add(run, seed: seed)
        }
        report.show()
        exit(report.isGood ? 0 : 1)
    }

    /// Makes what is made once in a program, such as keys, so that no run differs from the others by it.
    private static func warmUp() {
        var plan = Plan()
        plan.actions = [Step(1, .authorize), Step(1, .request)]
        plan.grants = .boundOpenID
        _ = Run(plan, Decisions(script: []))
    }

    private static func run(_ seed: UInt64, _ options: Options) -> Run {
        var plan = Plan(seed: seed, topic: options.topic)
        plan.breakage = options.breakage
        return Run(plan, Decisions(seed: seed))
    }

    /// Runs one seed, twice, and shows it.
    private static func show(_ seed: UInt64, _ options: Options) -> CInt {
        var run = run(seed, options)
        let again = self.run(seed, options)
        if run.trace != again.trace {
            let place = zip(run.trace, again.trace).enumerated().first { $0.element.0 != $0.element.1 }
            print("Seed \(seed) does not repeat: the traces differ from line \(place?.offset ?? -1) on.")
            if let place { print("\(place.element.0)\n\(place.element.1)") }
            return 1
        }
        if options.isShrinking, let rule = run.findings.first?.rule {
            run = Shrinker(rule: options.rule ?? rule).shrunk(run)
        }
        if options.isTracing || options.isShrinking { print(run.schedule) }
        for finding in run.findings { print("seed \(seed): \(finding)") }
        if run.findings.isEmpty { print("seed \(seed): nothing found in \(run.steps) steps") }
        return run.findings.isEmpty ? 0 : 1
    }

    /// The order of a dictionary differs from process to process unless this variable is set when the process begins.
    private static func makeHashingDeterministic() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard getenv(name) == nil else { return }
        setenv(name, "1", 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        fatalError("The program cannot start itself again: set \(name)=1.")
    }
}
