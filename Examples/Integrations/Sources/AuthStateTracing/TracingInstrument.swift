public import AuthStateKit
public import Tracing

/// Makes the steps of renewals spans of swift-distributed-tracing.
///
/// ```swift
/// options.instrument = TracingInstrument()
/// ```
///
/// | Span | Covers | Kind |
/// |---|---|---|
/// | `authstate.renewal` | the renewal; what comes before its lease is the wait for it | internal |
/// | `authstate.lease` | the time in which the lease is held | internal |
/// | `authstate.redeem` | one request to the token endpoint | client |
/// | `authstate.save` | one writing to the store | client |
///
/// The parent of a renewal is the span of the caller that started it; callers that join the renewal have none of its spans. A
/// renewal that a pool makes ahead of expiry begins a trace. Spans of the HTTP client, if it makes any, are children of
/// `authstate.redeem`.
///
/// Attributes are `oauth.client_id`, `oauth.grant_type` of a request, `authstate.outcome` (`ok`, `cancelled` or an error's code),
/// and of an error `error.type` and `authstate.error.kind`. No attribute contains a token, a user or a state's key.
public struct TracingInstrument: AuthStateInstrument {
    private let tracer: (any Tracer)?

    /// Makes an instrument.
    ///
    /// - Parameter tracer: The tracer; nil takes the one that is current for the caller that starts a renewal.
    public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Begins to trace a renewal, with the caller's span as its parent.
    public func beginRenewal(of state: AuthState) -> any RenewalInstrument {
        RenewalTrace(
            tracer: tracer ?? InstrumentationSystem.tracer, parent: .current ?? .topLevel,
            clientID: state.record.client.id)
    }
}

/// Makes the steps of one renewal spans.
private struct RenewalTrace: RenewalInstrument {
    let tracer: any Tracer
    /// The context of the caller; the renewal's own task has none at its beginning.
    let parent: InstrumentationContext
    let clientID: String

    nonisolated(nonsending) func run<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let span = tracer.startSpan(
            "authstate.\(step.name.rawValue)", context: .current ?? parent,
            ofKind: step.name == .redeem || step.name == .save ? .client : .internal)
        defer { span.end() }
        span.updateAttributes { attributes in
            attributes["oauth.client_id"] = clientID
            if let grantType = step.grantType { attributes["oauth.grant_type"] = grantType.rawValue }
        }
        do {
            let result = try await InstrumentationContext.$current.withValue(span.context) { try await body() }
            span.attributes["authstate.outcome"] = "ok"
            return result
        } catch {
            // Its message can contain what the provider wrote, so the error itself is not recorded.
            span.note(error)
            throw error
        }
    }
}

extension Span {
    /// Adds an error's code and kind.
    fileprivate func note(_ error: any Error) {
        guard let error = error as? AuthStateError else {
            attributes["authstate.outcome"] = error is CancellationError ? "cancelled" : "failed"
            return
        }
        updateAttributes { attributes in
            attributes["authstate.outcome"] = error.code.rawValue
            attributes["authstate.error.kind"] = error.kind.rawValue
            attributes["error.type"] = error.code.rawValue
        }
        setStatus(SpanStatus(code: .error))
    }
}
