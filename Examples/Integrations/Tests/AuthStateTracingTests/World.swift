import AuthStateKit
import AuthStateTesting
import AuthStateTracing
import InMemoryTracing
import Tracing

/// A state at a provider, and the spans of its renewals.
struct World {
    let provider: OpenIDProvider
    let state: AuthState
    let tracer = InMemoryTracer()

    init(clock: ManualClock? = nil) async throws {
        provider = try await OpenIDProvider(clock: clock?.wallClock ?? .system)
        let service = AuthorizationService(configuration: clock.map { .init(clock: $0) } ?? .init())
        var options = AuthState.Options()
        options.instrument = TracingInstrument(tracer: tracer)
        state = try await AuthState.logIn(
            .browser(
                AuthorizationRequest(service.discoverConfiguration(issuer: provider.issuer).client), DirectUserAgent()),
            at: AuthState.Place(InMemoryAuthStateStore(), key: "user-ada", service: service, options: options))
    }

    /// The spans that have ended, by name, without the library's prefix.
    func spans(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == "authstate." + name }
    }

    func span(_ name: String) throws -> FinishedInMemorySpan {
        let found = spans(name)
        guard let first = found.first, found.count == 1 else { throw Unexpected(names: names) }
        return first
    }

    var names: [String] { tracer.finishedSpans.map(\.operationName) }

    struct Unexpected: Error { var names: [String] }
}

extension ProviderConfiguration {
    fileprivate var client: Client { Client(self, id: "app") }
}

extension FinishedInMemorySpan {
    /// The text of an attribute.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = attributes.get(name) else { return nil }
        return text
    }
}
