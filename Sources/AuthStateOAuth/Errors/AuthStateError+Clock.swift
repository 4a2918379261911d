package import AuthStateFoundation

extension AuthStateError {
    /// Returns the error with a hint at this machine's clock, where its offset is the likely cause: proofs and
    /// assertions carry the time of their making and are valid for about a minute.
    ///
    /// - Parameters:
    ///   - headers: Those of the answer; its `Date` is the server's clock, and without one nothing is said.
    ///   - now: This machine's clock.
    package func blamingClock(_ headers: TransportHeaders, now: Date) -> AuthStateError {
        guard let date = headers["Date"].flatMap(HTTPDate.parse) else { return self }
        let seconds = now.timeIntervalSince(date).rounded()
        guard abs(seconds) > Self.usualDifference else { return self }
        var copy = self
        copy.hint =
            "Set this machine's clock: it is \(Int(abs(seconds))) s \(seconds < 0 ? "behind" : "ahead of") the server's."
        return copy
    }

    /// The clock difference, plus the transit time of an answer, that causes no failure, in seconds.
    private static let usualDifference: Double = 30
}
