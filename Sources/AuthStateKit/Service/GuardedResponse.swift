package import AuthStateOAuth

/// A response that can be read only where errors are stripped of its request's secrets: a server may repeat them.
package struct GuardedResponse: Sendable {
    private let response: TransportResponse
    private let request: TransportRequest
    private let trace: LoginTrace?

    init(_ response: TransportResponse, to request: TransportRequest, trace: LoginTrace?) {
        (self.response, self.request, self.trace) = (response, request, trace)
    }

    package var status: Int { response.status }
    /// The header fields; use `secrets` to hide the request's secrets in any text made from them.
    package var headers: TransportHeaders { response.headers }
    var secrets: RequestSecrets { request.secrets }

    /// Reads the response; an error, or a refusal of the token, that the body throws repeats no secret of the request.
    ///
    /// The trace is told what the body reads leniently.
    func read<R>(_ body: (TransportResponse) throws -> R) throws -> R {
        do { return try trace.reading { try body(response) } } catch { throw hiding(error) }
    }

    /// Returns an error that the response led to, without the request's secrets, and with advice that fits the request.
    func hiding(_ error: any Error) -> any Error {
        switch error {
        case let error as AuthStateError: request.advising(secrets.hiding(error))
        case let rejection as TokenRejected: rejection.hiding(secrets)
        default: error
        }
    }

    /// Returns the outcome of a token request as `hiding` does an error.
    func hiding(_ answer: TokenAnswer) -> TokenAnswer {
        answer.mapError { request.advising(secrets.hiding($0)) }
    }
}

extension TransportRequest {
    package var secrets: RequestSecrets { RequestSecrets(self) }
}
