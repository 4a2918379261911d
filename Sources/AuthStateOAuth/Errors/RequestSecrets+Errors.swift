extension RequestSecrets {
    /// An error that an answer led to, without the request's secrets that the answer repeats.
    package func hiding(_ error: AuthStateError) -> AuthStateError {
        var copy = error
        copy.response = error.response.map(hiding)
        if let response = error.response, let hidden = copy.response {
            copy.message = error.message.replacing(response.summary, with: hidden.summary)
        }
        copy.message = hiding(copy.message)
        // The requirements of a challenge are the resource's own text.
        copy.expected = error.expected.map { error.challenge == nil ? hiding($0) : hiding(foreign: $0) }
        copy.received = error.received.map { hiding(foreign: $0) }
        copy.hint = error.hint.map { hiding($0) }
        copy.challenge = error.challenge.map(hiding)
        copy.responseBody = error.responseBody.map { hiding(foreign: $0) }
        copy.underlying = error.underlying.map { hiding(foreign: $0) }
        return copy
    }

    private func hiding(_ response: OAuthErrorResponse) -> OAuthErrorResponse {
        OAuthErrorResponse(
            error: hiding(foreign: response.error),
            errorDescription: response.errorDescription.map { hiding(foreign: $0) },
            errorURI: response.errorURI.map { hiding(foreign: $0) })
    }

    private func hiding(_ challenge: AuthenticationChallenge) -> AuthenticationChallenge {
        AuthenticationChallenge(
            scheme: hiding(foreign: challenge.scheme),
            parameters: Dictionary(
                challenge.parameters.map { (hiding(foreign: $0.key), hiding(foreign: $0.value)) },
                uniquingKeysWith: { first, _ in first }),
            token68: challenge.token68.map { hiding(foreign: $0) })
    }
}
