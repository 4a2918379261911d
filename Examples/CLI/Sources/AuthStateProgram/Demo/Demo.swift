import ArgumentParser
import AuthStateKit

/// Plays the whole life of a login against a provider in this process.
struct Demo: Command {
    static let configuration = CommandConfiguration(
        commandName: "demo", _superCommandName: "authstate",
        abstract: "Watch the whole life of a login: no network, no set-up, nothing left behind.")
    static let stage = AuthStateError.Stage.usage

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func perform(_ context: Context) async throws -> Report {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let story = try await DemoStory(file: "\(folder.path)/state.json")
        var results: [StepResult] = []
        var isWritten = true
        for (number, step) in DemoStory.steps.enumerated() {
            let result = await StepResult(step.name) { try await step.play(story) }
            isWritten = context.console.print("\(result.isOK ? "✓" : "✗") \(number + 1). \(result.detail)")
            results.append(result)
            // Each step builds on the one before.
            guard result.isOK, isWritten else { break }
        }
        await story.end()
        let failure = results.last?.failure
        let json: JSONValue = ["ok": .bool(failure == nil), "steps": .array(results.map(\.json))]
        return Report(json: json, status: failure.map { ExitReason($0.kind) } ?? (isWritten ? .done : .store))
    }

    /// The result of one step.
    private struct StepResult {
        let name: String
        let detail: String
        let failure: AuthStateError?

        var isOK: Bool { failure == nil }
        var json: JSONValue { ["name": .string(name), "ok": .bool(isOK), "detail": .string(detail)] }

        init(_ name: String, playing step: () async throws -> String) async {
            self.name = name
            do {
                detail = try await step()
                failure = nil
            } catch {
                let failure = AuthStateError(ending: error, stage: Demo.stage)
                detail = "\(failure)"
                self.failure = failure
            }
        }
    }
}
