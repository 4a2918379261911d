extension AuthStateError {
    /// Wraps any error in the terms of the flow.
    package init(wrapping error: any Error, stage: Stage) {
        self =
            error as? AuthStateError
            ?? AuthStateError(.connectionLost, stage: stage, "The provider could not be asked.", underlying: error)
    }
}
