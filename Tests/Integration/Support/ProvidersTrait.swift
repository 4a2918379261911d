import Foundation
import Testing

/// Starts providers for a suite, once, and stops them when all of its tests have ended.
struct ProvidersTrait: SuiteTrait, TestScoping {
    /// The providers that run for the current test.
    @TaskLocal static var running: [Provider: ProviderProcess] = [:]

    let providers: [Provider]

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        var running = Self.running
        var started: [ProviderProcess] = []
        do {
            for provider in providers {
                let process = try await ProviderProcess.start(provider)
                started.append(process)
                running[provider] = process
            }
            try await Self.$running.withValue(running) { try await function() }
        } catch {
            for process in started { try await process.stop() }
            throw error
        }
        for process in started { try await process.stop() }
    }
}

extension Trait where Self == ProvidersTrait {
    /// The suite's tests find these providers running.
    static func running(_ providers: [Provider]) -> Self { Self(providers: providers) }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where the providers are not installed, unless they are required.
    static var whereProvidersAreInstalled: Self {
        .enabled(
            if: Provider.areInstalled || Provider.areRequired,
            "the providers are not installed: run \(Provider.installer)")
    }

    /// Skipped where there is no Chromium to drive, unless the providers are required.
    static var whereChromiumIsInstalled: Self {
        .enabled(
            if: Provider.areRequired || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver"),
            "chromedriver is not installed: run \(Provider.installer)")
    }
}

extension Provider {
    /// This provider, which the suite has started.
    var process: ProviderProcess {
        get throws {
            try #require(ProvidersTrait.running[self], "the suite does not start \(testDescription)")
        }
    }
}
