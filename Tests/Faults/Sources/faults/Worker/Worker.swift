import AuthStateKit
import CFaults
import Foundation
import Synchronization

/// The program in its other role: uses a stored state in a process of its own.
enum Worker {
    static func run(_ task: WorkerTask) async {
        FaultsArm(task.plan)
        let counter = Counter()
        var options = AuthState.Options()
        options.observer = counter
        var configuration = AuthorizationService.Configuration()
        if let file = task.clock { configuration.clock = WallClock { Date(timeIntervalSinceNow: offset(in: file)) } }
        do {
            let store = UnprotectedStore(try task.kind.store(task.file), without: task.without)
            let state = try await AuthState.restore(
                at: AuthState.Place(
                    store, service: AuthorizationService(configuration: configuration), options: options))
            await use(state, task, counter)
            await state.drain()
            counter.summarize(state)
        } catch {
            note(error)
        }
    }

    private static func use(_ state: AuthState, _ task: WorkerTask, _ counter: Counter) async {
        let end = ContinuousClock.now + .seconds(task.seconds)
        var last = ""
        repeat {
            do {
                let name = WorkerEvent.fingerprint(try await token(state, task.resource))
                if name != last { WorkerEvent.token(name).print() }
                last = name
                counter.count {
                    $0.uses += 1
                    $0.undurable += Int(FaultsLogIsOwed())
                }
            } catch {
                let name = (error as? AuthStateError)?.code.rawValue ?? "unknown"
                if name != last { note(error) }
                last = name
                counter.count { $0.failures += 1 }
            }
            if task.seconds > 0 { try? await Task.sleep(for: .milliseconds(5)) }
        } while ContinuousClock.now < end
    }

    /// A token, shown to the resource if there is one.
    private static func token(_ state: AuthState, _ resource: URL?) async throws -> String {
        guard let resource else { return try await state.freshTokens().accessToken }
        return try await state.withFreshToken { tokens in
            var request = TransportRequest(url: resource)
            request.headers = try tokens.authorizationHeaders(method: .get, url: resource)
            let response = try await state.service.transport.send(request)
            if response.status == 401 { throw TokenRejected(response) }
            return tokens.accessToken
        }
    }

    private static func note(_ error: any Error) {
        let known = error as? AuthStateError
        WorkerEvent.failed(known ?? AuthStateError(.providerError, stage: .usage, "\(error)")).print()
    }

    private static func offset(in file: String) -> Double {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap(Double.init) ?? 0
    }

    /// Counts what happens to the state.
    private final class Counter: AuthStateObserver {
        private let summary = Mutex(WorkerSummary())

        func count(_ change: (inout WorkerSummary) -> Void) { summary.withLock { change(&$0) } }

        func authState(_ state: AuthState, did event: AuthStateEvent) {
            switch event {
            case .renewalStarted: count { $0.renewals += 1 }
            case .saveFailed: count { $0.unsaved += 1 }
            default: break
            }
        }

        func summarize(_ state: AuthState) {
            var summary = summary.withLock { $0 }
            summary.error = state.authorizationError
            summary.undurable += Int(FaultsUndurableRenames())
            summary.databaseCalls = Int(FaultsDatabaseCalls())
            summary.answering = microseconds(from: FaultsPhaseSent, to: FaultsPhaseReceived)
            summary.keeping = microseconds(from: FaultsPhaseReceived, to: FaultsPhaseFilled)
            summary.lasting = microseconds(from: FaultsPhaseFilled, to: FaultsPhaseRenamed)
            WorkerEvent.ended(summary).print()
        }

        private func microseconds(from first: FaultsPhase, to second: FaultsPhase) -> Double? {
            let (start, end) = (FaultsReachedAt(first), FaultsReachedAt(second))
            return start > 0 && end > start ? Double(end - start) / 1000 : nil
        }
    }
}
