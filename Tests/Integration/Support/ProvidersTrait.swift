import Foundation
import Testing

/// Starts providers for a suite, once, and stops them when all of its tests have ended.
struct ProvidersTrait: SuiteTrait, TestScoping {
    /// The providers that run for the current test.
    @TaskLocal static var running: [Provider: ProviderProcess] = [:]
    /// The sets of providers, of which each test takes one with `inLane`.
    @TaskLocal static var lanes: Lanes?

    let providers: [Provider]
    /// How many of each are started for tests side by side; nil for one that all tests share.
    let count: Int?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.withProviders(providers, count ?? 1) { sets in
            if count == nil {
                try await Self.$running.withValue(Self.running.merging(sets[0]) { $1 }, operation: function)
            } else {
                try await Self.$lanes.withValue(Lanes(sets), operation: function)
            }
        }
    }

    /// Runs a body with so many sets of providers, and ends them after it.
    private static func withProviders(
        _ providers: [Provider], _ count: Int, _ body: ([Lanes.Lane]) async throws -> Void
    ) async throws {
        var started: [ProviderProcess] = []
        var failure: (any Error)?
        do {
            started = try await start(providers, count)
            var sets = [Lanes.Lane](repeating: [:], count: count)
            for process in started {
                sets[sets.firstIndex { $0[process.provider] == nil } ?? 0][process.provider] = process
            }
            try await body(sets)
        } catch { failure = error }
        for process in started { try await process.stop() }
        if let failure { throw failure }
    }

    /// Starts so many of each side by side; where one does not start, none is left.
    private static func start(_ providers: [Provider], _ count: Int) async throws -> [ProviderProcess] {
        try await withThrowingTaskGroup(of: ProviderProcess.self) { group in
            for provider in providers {
                for _ in 0..<count { group.addTask { try await ProviderProcess.start(provider) } }
            }
            var started: [ProviderProcess] = []
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let process): started.append(process)
                case .failure(let error): failure = error
                }
            }
            guard let failure else { return started }
            for process in started { try await process.stop() }
            throw failure
        }
    }
}

/// Gives each test a set of providers that no other test uses meanwhile: they do not take many requests at once, and tests
/// change what all users of a provider see.
struct LaneTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, let lanes = ProvidersTrait.lanes else { return try await function() }
        let lane = await lanes.take()
        let running = ProvidersTrait.running.merging(lane) { own, _ in own }
        do {
            try await ProvidersTrait.$running.withValue(running, operation: function)
            await lanes.leave(lane)
        } catch {
            await lanes.leave(lane)
            throw error
        }
    }
}

/// Sets of providers, which tests take in the order in which they come.
actor Lanes {
    typealias Lane = [Provider: ProviderProcess]

    private var free: [Lane]
    private var waiting: [CheckedContinuation<Lane, Never>] = []

    init(_ lanes: [Lane]) { free = lanes }

    func take() async -> Lane {
        if let lane = free.popLast() { return lane }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func leave(_ lane: Lane) {
        if waiting.isEmpty { free.append(lane) } else { waiting.removeFirst().resume(returning: lane) }
    }
}

extension Trait where Self == ProvidersTrait {
    /// The suite's tests find these providers running.
    ///
    /// - Parameter lanes: How many sets of them run, for tests side by side with `inLane`.
    static func running(_ providers: [Provider], lanes: Int? = nil) -> Self { Self(providers: providers, count: lanes) }
}

extension Trait where Self == LaneTrait {
    /// Each test has a set of providers to itself, and waits for one to be free.
    static var inLane: Self { Self() }
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
